// SPDX-License-Identifier: Apache-2.0
#include "cordon/stream/row_format.h"

#include <cstring>
#include <set>

#include "cordon/base/digest.h"

namespace cordon::engine {
namespace {

bool IsJson(const RowOptions& options) { return options.format == FileFormat::kJsonLines; }

std::size_t Published(const StreamLayout& layout, const RowOptions& options) {
  std::size_t count = (options.sequence ? 1u : 0u) + (options.group_column ? 1u : 0u);
  for (const InputColumn& column : layout.columns) count += column.published;
  for (const DeclaredAxis& axis : layout.axes) count += options.bounds && axis.is_number() ? 1u : 0u;
  return count;
}

// A payload starts with the sizes of its pieces.
using PieceSize = std::uint32_t;

}  // namespace

RowFormat::RowFormat(const StreamLayout& layout, const RowOptions& options)
    : layout_(&layout), options_(options), csv_(options.text, Published(layout, options) == 1) {}

std::string RowFormat::Name(const std::string& name) const {
  std::string text;
  if (IsJson(options_)) {
    AppendJsonString(name, text);
  } else {
    csv_.Append(name, text);
  }
  return text;
}

bool RowFormat::AppendEnd(std::string_view text, const DeclaredAxis& axis, std::string& to) const {
  if (!IsJson(options_) || axis.is_date()) return AppendCell(text, to);
  to += text;
  return true;
}

// All that an axis may publish must fit into a cell.
Result<void> RowFormat::CheckTexts(const DeclaredAxis& axis) const {
  std::string text;
  const AxisRange whole{axis.axis().lo, axis.axis().hi};
  const bool two = options_.bounds && axis.is_number();
  bool fits = two ? AppendEnd(axis.Ends(whole).first, axis, text) && AppendEnd(axis.Ends(whole).second, axis, text)
                  : AppendCell(axis.Publish(whole), text);
  const Hierarchy* hierarchy = axis.axis().hierarchy.get();
  for (NodeId node = 0; hierarchy != nullptr && fits && node < hierarchy->num_nodes(); ++node) {
    text.clear();
    fits = AppendCell(hierarchy->label(node), text);
  }
  if (fits) return {};
  return Error::InvalidPolicy("what '{}' publishes holds the delimiter or a line end, and data.quote is off", axis.axis().name)
      .WithHint("set data.quote, or another data.delimiter");
}

Result<RowFormat> RowFormat::Make(const StreamLayout& layout, const RowOptions& options) {
  RowFormat made(layout, options);
  std::set<std::string> names;
  for (const std::string& name : made.columns()) {
    if (names.insert(name).second) continue;
    return Error::InvalidPolicy("the output would have two columns '{}'", name)
        .WithHint("rename the column in the data{}", options.bounds ? ", or give --no-bounds" : "");
  }
  const std::string& delimiter = options.text.delimiter;
  bool first = !options.sequence;
  for (const InputColumn& column : layout.columns) {
    std::string before;
    if (column.published) {
      if (!first) before = IsJson(options) ? "," : delimiter;
      if (IsJson(options)) before += made.Name(made.IsTwo(column) ? column.name + "_lo" : column.name) + ":";
      first = false;
    }
    if (column.axis >= 0) {
      std::string between;
      if (made.IsTwo(column)) between = IsJson(options) ? "," + made.Name(column.name + "_hi") + ":" : delimiter;
      made.before_hi_.push_back(std::move(between));
    }
    made.before_.push_back(std::move(before));
  }
  made.fixed_.resize(layout.axes.size() + 1, "");
  std::size_t piece = 0;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    if (!layout.columns[i].published) continue;
    if (layout.columns[i].axis >= 0) {
      if (made.fixed_[piece]) *made.fixed_[piece] += made.before_[i];
      ++piece;
    } else {
      made.fixed_[piece].reset();
    }
  }
  made.before_group_ = IsJson(options) ? std::string(first ? "" : ",") + made.Name("group") + ":" : (first ? "" : delimiter);
  if (!IsJson(options) && options.text.header) {
    for (const std::string& name : made.columns()) made.header_ += (made.header_.empty() ? "" : delimiter) + made.Name(name);
    made.header_ += "\n";
  }
  for (const DeclaredAxis& axis : layout.axes) CORDON_RETURN_IF_ERROR(made.CheckTexts(axis));
  std::string scratch;
  const std::vector<std::string_view> absent(layout.columns.size());
  made.AppendPayload(absent, {}, made.blank_, scratch);
  return made;
}

std::vector<std::string> RowFormat::columns() const {
  std::vector<std::string> names;
  if (options_.sequence) names.emplace_back("sequence");
  for (const InputColumn& column : layout_->columns) {
    if (!column.published) continue;
    if (IsTwo(column)) {
      names.push_back(column.name + "_lo");
      names.push_back(column.name + "_hi");
    } else {
      names.push_back(column.name);
    }
  }
  if (options_.group_column) names.emplace_back("group");
  return names;
}

UpperEnds RowFormat::upper_ends() const {
  UpperEnds ends;
  for (const DeclaredAxis& axis : layout_->axes) {
    if (options_.bounds && axis.is_number()) ends[axis.axis().name] = {axis.open_above(), {}};
  }
  return ends;
}

bool RowFormat::AppendCell(std::string_view cell, std::string& to) const {
  if (!IsJson(options_)) return csv_.Append(cell, to);
  if (cell.data() == nullptr) {
    to += "null";
  } else {
    AppendJsonString(cell, to);
  }
  return true;
}

const char* RowFormat::AppendPayload(std::span<const std::string_view> cells, std::span<const std::uint8_t> bare,
                                     std::string& to, std::string& scratch) const {
  const std::size_t start = to.size();
  std::size_t piece = 0;
  to.resize(start + (layout_->axes.size() + 1) * sizeof(PieceSize));
  std::size_t from = to.size();
  const auto finish = [&] {
    const auto size = static_cast<PieceSize>(to.size() - from);
    std::memcpy(to.data() + start + piece++ * sizeof(PieceSize), &size, sizeof size);
    from = to.size();
  };
  for (std::size_t i = 0; i < layout_->columns.size(); ++i) {
    const InputColumn& column = layout_->columns[i];
    if (!column.published) continue;
    to += before_[i];
    if (column.axis >= 0) {
      finish();
      continue;
    }
    std::string_view cell = cells[i];
    const bool names_missing = column.role == Role::kSensitive || !column.pseudonym_key.empty();
    if (cell.data() != nullptr && names_missing && layout_->IsMissing(cell)) {
      cell = layout_->missing.empty() ? std::string_view("") : layout_->missing.front();
    } else if (cell.data() != nullptr && !column.pseudonym_key.empty()) {
      scratch = ToHex(HmacSha256(column.pseudonym_key, cell));
      cell = scratch;
    }
    if (IsJson(options_) && !bare.empty() && bare[i] != 0 && cell.data() == cells[i].data()) {
      to += cell;
    } else if (!AppendCell(cell, to)) {
      to.resize(start);
      return "a cell that holds the delimiter or a line end, and data.quote is off";
    }
  }
  finish();
  return nullptr;
}

std::string RowFormat::RenderSide(std::span<const AxisRange> box, std::size_t i) const {
  const DeclaredAxis& axis = layout_->axes[i];
  std::string text;
  if (before_hi_[i].empty()) {
    CORDON_CHECK(AppendCell(box.empty() ? "*" : axis.Publish(box[i]), text));  // CheckTexts has seen all of them
  } else if (box.empty()) {
    AppendCell("*", text);
    text += before_hi_[i];
    AppendCell("*", text);
  } else {
    const auto [lo, hi] = axis.Ends(box[i]);
    CORDON_CHECK(AppendEnd(lo, axis, text));
    text += before_hi_[i];
    CORDON_CHECK(AppendEnd(hi, axis, text));
  }
  return text;
}

RowFrame RowFormat::Frame(std::span<const AxisRange> box, std::optional<std::string_view> group) const {
  RowFrame frame;
  std::string text;
  for (std::size_t piece = 0; piece < fixed_.size(); ++piece) {
    if (fixed_[piece]) {
      text += *fixed_[piece];
    } else {
      frame.before.push_back(std::move(text));
      text.clear();
    }
    if (piece < layout_->axes.size()) text += RenderSide(box, piece);
  }
  if (options_.group_column) {
    text += before_group_;
    AppendCell(group.value_or(std::string_view()), text);
  }
  text += IsJson(options_) ? "}\n" : "\n";
  frame.end = std::move(text);
  return frame;
}

void RowFormat::AppendStart(std::uint64_t sequence, std::string& to) const {
  if (IsJson(options_)) to += options_.sequence ? "{\"sequence\":" : "{";
  if (options_.sequence) to += fmt::format_int(sequence).c_str();
}

void RowFormat::AppendBody(const RowFrame& frame, std::string_view payload, std::string& to) const {
  std::size_t at = fixed_.size() * sizeof(PieceSize);
  auto before = frame.before.begin();
  for (std::size_t piece = 0; piece < fixed_.size(); ++piece) {
    if (fixed_[piece]) {
      at += fixed_[piece]->size();
      continue;
    }
    PieceSize size = 0;
    std::memcpy(&size, payload.data() + piece * sizeof(PieceSize), sizeof size);
    to += *before++;
    to += payload.substr(at, size);
    at += size;
  }
  to += frame.end;
}

}  // namespace cordon::engine
