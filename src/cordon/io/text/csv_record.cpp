// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cordon/io/text/byte_scan_internal.h"
#include "cordon/io/text/csv_record_internal.h"
#include "cordon/io/text/local_dictionary_internal.h"

namespace cordon::engine {
namespace {

// `raw` starts with a quote.
CellError ReadQuoted(std::string_view raw, char quote, std::string& scratch, std::string_view& text) {
  using Kind = CellError::Kind;
  std::size_t doubled = 0;
  std::size_t at = 1;
  while (true) {
    at = raw.find(quote, at);
    if (at == std::string_view::npos) return {Kind::kOpenQuote, raw.size()};
    if (at + 1 == raw.size()) break;
    if (raw[at + 1] != quote) return {Kind::kTextAfterQuote, at + 1};
    ++doubled;
    at += 2;
  }
  text = raw.substr(1, at - 1);
  if (doubled == 0) return {};
  scratch.clear();
  scratch.reserve(text.size() + kShortText);
  for (std::size_t i = 0; i < text.size(); ++i) {
    scratch.push_back(text[i]);
    if (text[i] == quote) ++i;
  }
  text = scratch;
  return {};
}

}  // namespace

const char* CellError::what() const {
  switch (kind) {
    case Kind::kStrayQuote: return "has a quote inside an unquoted cell";
    case Kind::kTextAfterQuote: return "has text after a closing quote";
    case Kind::kStrayReturn: return "has a carriage return outside quotes";
    case Kind::kOpenQuote: return "opens a quote that is never closed";
    case Kind::kNone: break;
  }
  return "";
}

std::string CellError::hint() const {
  if (kind == Kind::kStrayReturn) return "lines must end in LF or CRLF; a cell that holds a carriage return must be quoted";
  return "a cell that holds a quote is quoted itself, and the quote doubled; if quotes mean nothing in this file, a "
         "policy says so by quote = \"\" in [data]";
}

std::string_view TrimSpaces(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

CellError ReadCell(std::string_view raw, const TextFormat& format, std::string& scratch, std::string_view& text) {
  using Kind = CellError::Kind;
  const std::string_view cell = format.trim ? TrimSpaces(raw) : raw;
  const std::size_t trimmed = static_cast<std::size_t>(cell.data() - raw.data());
  if (format.quote != '\0' && !cell.empty() && cell.front() == format.quote) {
    CellError error = ReadQuoted(cell, format.quote, scratch, text);
    error.at += trimmed;
    return error;
  }
  text = cell;
  const std::size_t stray_quote = format.quote == '\0' ? std::string_view::npos : cell.find(format.quote);
  const std::size_t stray_return = cell.find('\r');
  if (stray_quote == std::string_view::npos && stray_return == std::string_view::npos) return {};
  return stray_quote < stray_return ? CellError{Kind::kStrayQuote, trimmed + stray_quote}
                                    : CellError{Kind::kStrayReturn, trimmed + stray_return};
}

Record ReadRecord(std::string_view text, const TextFormat& format) {
  Record record;
  std::string scratch;
  bool inside = false;
  std::size_t start = 0;
  SpaceRun run;
  const auto add = [&](std::size_t end) {
    std::string_view cell;
    record.error = ReadCell(text.substr(start, end - start), format, scratch, cell);
    record.error.at += start;
    record.cells.emplace_back(cell);
    return record.error.kind == CellError::Kind::kNone;
  };
  while (format.trims_lines() && start < text.size() && text[start] == ' ') ++start;
  for (std::size_t at = start; at < text.size(); ++at) {
    if (format.quote != '\0' && text[at] == format.quote) {
      inside = !inside;
    } else if (inside) {
      continue;
    } else if (text[at] == '\n') {
      record.size = at + 1;
      add(at > start && text[at - 1] == '\r' ? at - 1 : at);
      return record;
    } else if (text.substr(at).starts_with(format.delimiter) && !(format.trims_lines() && run.EndsLine(text, at))) {
      if (!add(at)) return record;
      start = at + format.delimiter.size();
      at = start - 1;
    }
  }
  record.size = text.size();
  if (add(text.size())) record.error = {CellError::Kind::kOpenQuote, text.size()};
  return record;
}

}  // namespace cordon::engine
