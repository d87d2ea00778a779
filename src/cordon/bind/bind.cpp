// SPDX-License-Identifier: Apache-2.0
#include "cordon/bind/bind.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "cordon/base/digest.h"
#include "cordon/base/nearest.h"
#include "cordon/base/parallel_for.h"
#include "cordon/base/toml_text.h"
#include "cordon/bind/bind_column_internal.h"
#include "cordon/bind/rewrite.h"
#include "cordon/io/files/atomic_file.h"

namespace cordon::engine {
namespace {

using internal::BindColumn;
using internal::BoundColumn;
using internal::ColumnView;
using internal::DomainFrom;
using internal::Flags;

constexpr std::size_t kShortestKey = 16;  // bytes

bool IsProtected(Role role) { return role == Role::kQuasi || role == Role::kSensitive; }

std::string Quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return text;
}

// The delimiter by which the only column of the data is the columns of the policy; 0 if there is none.
char DelimiterMeant(const std::vector<std::string>& only_data, const std::vector<std::string>& only_policy) {
  if (only_data.size() != 1) return 0;
  for (const char delimiter : {';', ',', '\t', '|'}) {
    std::size_t known = 0;
    std::size_t begin = 0;
    while (begin <= only_data[0].size()) {
      const std::size_t end = std::min(only_data[0].find(delimiter, begin), only_data[0].size());
      const std::string name = only_data[0].substr(begin, end - begin);
      known += static_cast<std::size_t>(std::count(only_policy.begin(), only_policy.end(), name));
      begin = end + 1;
    }
    if (known >= 2) return delimiter;
  }
  return 0;
}

Error Unmatched(const std::vector<std::string>& only_data, const std::vector<std::string>& only_policy, bool any_match) {
  if (!any_match) {
    if (const char delimiter = DelimiterMeant(only_data, only_policy); delimiter != 0) {
      const std::string shown = delimiter == '\t' ? "\\t" : std::string(1, delimiter);
      return Error::InvalidPolicy("the columns of the data are separated by \"{}\", which the policy does not say", shown)
          .WithHint("set delimiter = \"{}\" in [data]", shown);
    }
    // The first line may be no header but data: then its cells are not to be named.
    return Error::InvalidPolicy("no column of the data is in the policy")
        .WithHint(
            "if the file has no header, set header = false and columns = [...] in [data]: cordon inspect FILE --no-header "
            "--write-policy P drafts both; check the delimiter too");
  }
  std::string what;
  if (!only_data.empty()) what = fmt::format("the data has {}, which the policy does not describe", Quoted(only_data));
  if (!only_policy.empty()) {
    what +=
        fmt::format("{}the policy describes {}, which the data does not have", what.empty() ? "" : "; ", Quoted(only_policy));
  }
  Error error = Error::InvalidPolicy("{}", what);
  constexpr std::size_t kFew = 100;  // edit distances of all pairs: a hint is not worth minutes
  std::string pairs;
  for (const std::string& name : only_policy) {
    if (only_policy.size() > kFew || only_data.size() > kFew) break;
    if (const auto nearest = Nearest(name, only_data))
      pairs += fmt::format("{}'{}' of the policy '{}' of the data", pairs.empty() ? "is " : ", and ", name, *nearest);
  }
  if (!pairs.empty()) return std::move(error).WithHint("{}?", pairs);
  if (only_data.empty()) return std::move(error).WithHint("take the column out of the policy, or check data.columns");
  return std::move(error).WithHint(
      "every column needs a role: in [attributes.{}], role = \"identifier\" leaves it out, role = \"quasi\" generalizes it",
      TomlKey(only_data[0]));
}

// The rows without a missing quasi or sensitive cell.
std::vector<std::uint64_t> CompleteRows(const Table& table, const std::vector<const AttributePolicy*>& attributes,
                                        const std::vector<Flags>& missing, const Run& run) {
  std::vector<std::vector<std::uint64_t>> parts(NumChunks(table.num_rows, kChunkRows));
  ParallelFor(run.threads, table.num_rows, kChunkRows, [&](std::size_t part, std::size_t begin, std::size_t end) {
    Flags dropped(end - begin);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (attributes[i] == nullptr || !IsProtected(attributes[i]->role)) continue;
      for (std::size_t row = begin; row < end; ++row) {
        const Code code = table.columns[i].codes[row];
        dropped[row - begin] |= code == kNull ? std::uint8_t{1} : missing[i][code];
      }
    }
    for (std::size_t row = begin; row < end; ++row) {
      if (dropped[row - begin] == 0) parts[part].push_back(row);
    }
  });
  std::vector<std::uint64_t> rows;
  for (const auto& part : parts) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

Result<Column> Pseudonyms(const Policy& policy, const AttributePolicy& attribute, const ColumnView& view, const Run& run) {
  CORDON_TRY(const std::string key, ReadPseudonymKey(policy, attribute));
  std::vector<Sha256Digest> digests(view.num_texts());
  ParallelFor(run.threads, digests.size(), 4096, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t code = begin; code < end; ++code) {
      if (view.is_value(code)) digests[code] = HmacSha256(key, view.text(code));
    }
  });
  auto dictionary = std::make_shared<Dictionary>();
  const Code marker = view.has_missing ? dictionary->Intern(policy.data.marker()) : kNull;
  std::vector<Code> code_of(view.num_texts(), marker);
  for (std::size_t code = 0; code < digests.size(); ++code) {
    if (view.is_value(code)) code_of[code] = dictionary->Intern(ToHex(digests[code]));
  }
  return Column{attribute.name, std::move(dictionary), Codes::Generate(view.num_rows(), run.threads, [&](std::size_t row) {
                  const Code code = view.code(row);
                  return code == kNull ? marker : code_of[code];
                })};
}

// Dense numbers in the order of the dictionary; all missing ones are one person.
void BindPersons(const ColumnView& view, const Run& run, Microdata& data) {
  std::vector<Code> person_of(view.num_texts(), kNull);
  Code next = 0;
  for (std::size_t code = 0; code < view.num_texts(); ++code) {
    if (view.is_value(code)) person_of[code] = next++;
  }
  const Code nobody = next;
  data.num_persons = static_cast<std::size_t>(next) + (view.has_missing ? 1 : 0);
  data.persons = Codes::Generate(view.num_rows(), run.threads, [&](std::size_t row) {
    const Code code = view.code(row);
    return code == kNull || view.missing[code] != 0 ? nobody : person_of[code];
  });
  for (std::size_t row = 0; view.has_missing && row < data.num_rows; ++row)
    data.rows_of_nobody += data.persons[row] == nobody ? 1 : 0;
}

// 1 of a column that is rounded to tenths as 1.0: all numbers have the same digits, so the column can be a typed one.
std::string WithDigits(std::string number, int digits) {
  if (digits == 0) return number;
  const std::size_t point = number.find('.');
  const std::size_t has = point == std::string::npos ? 0 : number.size() - point - 1;
  if (point == std::string::npos) number += '.';
  return number.append(static_cast<std::size_t>(std::max(digits, 0)) - std::min(has, static_cast<std::size_t>(digits)), '0');
}

// The values of the domain as they are published, rounded to `round`.
Column TextOfDomain(const AttributePolicy& attribute, const Domain& domain, const Codes& codes, int threads) {
  auto dictionary = std::make_shared<Dictionary>();
  std::vector<Code> code_of;
  for (Code code = 0; code < domain.size(); ++code) {
    const std::string text = domain.Publish(code, code);
    code_of.push_back(dictionary->Intern(code == domain.missing() ? text : WithDigits(text, attribute.round->scale)));
  }
  return Column{attribute.name, std::move(dictionary),
                Codes::Generate(codes.size(), threads, [&](std::size_t row) { return code_of[codes[row]]; })};
}

Result<MicrodataColumn> BindPublished(const Policy& policy, const AttributePolicy& attribute, const ColumnView& view,
                                      const Run& run) {
  MicrodataColumn column;
  column.attribute = {attribute.name, attribute.role, nullptr, attribute.weight};
  if (attribute.role == Role::kIdentifier) {
    column.attribute.role = Role::kInsensitive;
    CORDON_TRY(column.text, Pseudonyms(policy, attribute, view, run));
    return column;
  }
  if (IsProtected(attribute.role)) {
    const DomainFrom from = HasDeclaredDomain(attribute) ? DomainFrom::kDeclared : DomainFrom::kData;
    CORDON_TRY(const BoundColumn bound, BindColumn(attribute, policy.data, view, from));
    column.attribute.domain = bound.domain;
    column.codes = Codes::Generate(view.num_rows(), run.threads, [&](std::size_t row) { return bound(view.code(row)); });
  }
  if (attribute.role == Role::kSensitive && attribute.round) {
    column.text = TextOfDomain(attribute, *column.attribute.domain, column.codes, run.threads);
  } else if (attribute.role == Role::kSensitive) {
    column.text = internal::PublishedText(view, policy.data, run.threads);
  } else if (attribute.role != Role::kQuasi) {
    column.text = *view.column;
    if (view.rows != nullptr) {
      column.text.codes = Codes::Generate(view.num_rows(), run.threads, [&](std::size_t row) { return view.code(row); });
    }
  }
  return column;
}

// The column in the notation of releases; shared with the input if it needs no change.
Result<Column> Rewritten(const Column& column, const Policy& policy, const AttributePolicy& attribute, const Run& run) {
  Column rewritten = column;
  if (!attribute.notations.empty()) {
    CORDON_TRY(rewritten, Rewrite(column, attribute, policy.data, run.threads));
  }
  if (!IsProtected(attribute.role) || attribute.type != Domain::Kind::kNumeric) return rewritten;
  if (auto rounded = RoundFloating(rewritten, policy.data, run.threads)) return *std::move(rounded);
  return rewritten;
}

Result<Table> RewriteAll(const Table& table, const Policy& policy, const std::vector<const AttributePolicy*>& attributes,
                         const Run& run) {
  Table rewritten = table;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (attributes[i] == nullptr) continue;
    CORDON_TRY(rewritten.columns[i], Rewritten(table.columns[i], policy, *attributes[i], run));
  }
  return rewritten;
}

}  // namespace

Result<std::vector<const AttributePolicy*>> MatchColumns(const Policy& policy, std::span<const std::string> columns,
                                                         bool drop_unknown) {
  std::vector<const AttributePolicy*> matched;
  std::vector<std::string> only_data;
  std::set<std::string> seen;
  for (const std::string& column : columns) {
    const AttributePolicy* attribute = policy.Find(column);
    if (attribute != nullptr && !seen.insert(column).second) {
      return Error::InvalidData("the data has two columns '{}'", column);
    }
    const bool event_time = policy.stream && policy.stream->event_time == column;
    if (attribute == nullptr && !event_time && !drop_unknown) only_data.push_back(column);
    matched.push_back(attribute);
  }
  std::vector<std::string> only_policy;
  for (const AttributePolicy& attribute : policy.attributes) {
    if (!seen.contains(attribute.name)) only_policy.push_back(attribute.name);
  }
  if (!only_data.empty() || !only_policy.empty()) return Unmatched(only_data, only_policy, !seen.empty());
  return matched;
}

Result<std::string> ReadPseudonymKey(const Policy& policy, const AttributePolicy& attribute) {
  const std::string path = (policy.directory / *attribute.pseudonym_key_file).string();
  CORDON_TRY(std::string key, ReadFile(path, kMebibyte).WithContext("the key of '{}'", attribute.name));
  if (key.size() < kShortestKey) {
    return Error::InvalidPolicy("the key of '{}' ({}) has fewer than {} bytes", attribute.name, *attribute.pseudonym_key_file,
                                kShortestKey)
        .WithHint("make one: head -c 32 /dev/urandom > {}", *attribute.pseudonym_key_file);
  }
  return key;
}

Result<Microdata> Bind(const Policy& policy, const Table& input, const Run& run) {
  std::vector<std::string> names;
  for (const Column& column : input.columns) names.push_back(column.name);
  CORDON_TRY(const std::vector<const AttributePolicy*> attributes, MatchColumns(policy, names));
  if (input.num_rows == 0) return Error::InvalidData("the data has no rows");
  CORDON_TRY(const Table table, RewriteAll(input, policy, attributes, run));
  if (table.num_rows > std::numeric_limits<RowId>::max()) return Error::InvalidData("the data has more than 2^32 - 1 rows");

  Microdata data;
  data.num_rows = table.num_rows;
  std::vector<Flags> missing;
  for (const Column& column : table.columns) missing.push_back(internal::MissingTexts(column, policy.data));
  if (policy.data.on_missing == OnMissing::kDrop) {
    std::vector<std::uint64_t> rows = CompleteRows(table, attributes, missing, run);
    data.dropped_rows = table.num_rows - rows.size();
    data.num_rows = rows.size();
    if (rows.empty()) {
      return Error::InvalidData("every row has a missing quasi or sensitive cell, so on_missing = \"drop\" leaves none")
          .WithHint("check missing in [data], or set on_missing = \"leaf\"");
    }
    if (data.dropped_rows > 0) data.input_rows = std::move(rows);
  }
  const std::vector<std::uint64_t>* rows = data.input_rows.empty() ? nullptr : &data.input_rows;

  std::vector<ColumnView> views(table.columns.size());
  ParallelFor(run.threads, views.size(), 1, [&](std::size_t i, std::size_t, std::size_t) {
    views[i] = internal::ViewOf(table.columns[i], rows, std::move(missing[i]));
  });
  data.num_persons = data.num_rows;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (run.Stopped()) return Error::Cancelled();
    run.Report("bind", i, views.size());
    const AttributePolicy* attribute = attributes[i];
    if (attribute == nullptr || (attribute->role == Role::kIdentifier && !attribute->pseudonym_key_file)) continue;
    if (attribute->role == Role::kPerson) {
      BindPersons(views[i], run, data);
      continue;
    }
    CORDON_TRY(MicrodataColumn column, BindPublished(policy, *attribute, views[i], run));
    data.columns.push_back(std::move(column));
    views[i] = {};
  }
  return data;
}

Result<MicrodataColumn> BindCells(const Policy& policy, const AttributePolicy& attribute, const Column& cells,
                                  const std::vector<std::uint64_t>& first_rows, const Run& run) {
  CORDON_TRY(const Column column, Rewritten(cells, policy, attribute, run));
  ColumnView view = internal::ViewOf(column, nullptr, internal::MissingTexts(column, policy.data));
  view.first_rows = &first_rows;
  return BindPublished(policy, attribute, view, run);
}

Result<std::vector<bool>> MissingCells(const Policy& policy, const AttributePolicy& attribute, const Column& cells,
                                       const Run& run) {
  CORDON_TRY(const Column column, Rewritten(cells, policy, attribute, run));
  const Flags texts = internal::MissingTexts(column, policy.data);
  std::vector<bool> missing(column.codes.size());
  for (std::size_t i = 0; i < missing.size(); ++i) missing[i] = column.codes[i] == kNull || texts[column.codes[i]] != 0;
  return missing;
}

Result<std::vector<Attribute>> BindAttributes(const Policy& policy) {
  std::vector<Attribute> bound;
  const Column empty{"", std::make_shared<const Dictionary>(), {}};
  for (const AttributePolicy& attribute : policy.attributes) {
    if (!IsPublished(attribute)) continue;
    Attribute made{attribute.name, attribute.role == Role::kIdentifier ? Role::kInsensitive : attribute.role, nullptr,
                   attribute.weight};
    if (IsProtected(attribute.role)) {
      if (attribute.type == Domain::Kind::kCategorical && !attribute.values &&
          attribute.hierarchy.kind != HierarchySource::Kind::kFile) {
        return Error::InvalidPolicy(
            "[attributes.{}] needs 'values' or a hierarchy file: without rows its domain must be declared",
            TomlKey(attribute.name));
      }
      // What comes later may have missing cells, so the domain has a place for them from the start.
      ColumnView view = internal::ViewOf(empty, nullptr, {});
      view.has_missing = policy.data.on_missing == OnMissing::kLeaf;
      CORDON_TRY(const BoundColumn column, BindColumn(attribute, policy.data, view, DomainFrom::kDeclared));
      made.domain = column.domain;
    }
    bound.push_back(std::move(made));
  }
  return bound;
}

std::set<std::string> SkipColumns(const Policy& policy) {
  std::set<std::string> skip;
  for (const AttributePolicy& attribute : policy.attributes) {
    if (attribute.role == Role::kIdentifier && !attribute.pseudonym_key_file) skip.insert(attribute.name);
  }
  return skip;
}

}  // namespace cordon::engine
