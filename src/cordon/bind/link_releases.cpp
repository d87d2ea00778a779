// SPDX-License-Identifier: Apache-2.0
#include "cordon/bind/link_releases.h"

#include <algorithm>
#include <set>

#include "cordon/bind/join_bounds.h"

namespace cordon::engine {
namespace {

// A number of the policy that the previous release shows as two columns is one; else it would not be matched at all.
Result<LinkedTable> PreviousOf(const PreviousTable& previous, const Policy& policy) {
  const Table& rows = previous.table;
  LinkedTable table{previous.name, rows.num_rows, {}, {}};
  std::set<std::string> joined;
  for (const AttributePolicy& attribute : policy.attributes) {
    const Column* lo = rows.Find(attribute.name + "_lo");
    const Column* hi = rows.Find(attribute.name + "_hi");
    if (!HasBounds(attribute) || lo == nullptr || hi == nullptr || rows.Find(attribute.name) != nullptr) continue;
    const auto end = previous.ends.find(attribute.name);
    if (end == previous.ends.end() && HasRanges(*lo, *hi)) return EndsNotKnown(previous.name, attribute.name);
    CORDON_TRY(const Column both,
               JoinBounds(attribute.name, *lo, *hi, rows.num_rows, end == previous.ends.end() ? UpperEnd{} : end->second)
                   .WithContext("{}", previous.name));
    table.columns.push_back({both.name, both.dictionary, both.codes, {}});
    joined.insert({lo->name, hi->name});
  }
  for (const Column& column : rows.columns) {
    if (!joined.contains(column.name)) table.columns.push_back({column.name, column.dictionary, column.codes, {}});
  }
  return table;
}

// Categories without a hierarchy that all releases know are values without order: each stands for itself, "*" for all.
Result<void> AddAxis(const Policy& policy, const Attribute& attribute, std::map<std::string, SharedAxis>& axes) {
  const AttributePolicy* described = policy.Find(attribute.name);
  if (attribute.domain == nullptr || described == nullptr) return {};
  if (attribute.domain->is_categorical()) {
    if (described->hierarchy.kind == HierarchySource::Kind::kPrefix) {
      return Error::InvalidPolicy(
                 "{}:{}: the column '{}' is in several releases, and its hierarchy is made from the values of one", policy.name,
                 described->line, attribute.name)
          .WithHint("write the hierarchy to a file (cordon hierarchy build) that covers all releases");
    }
    if (described->hierarchy.kind != HierarchySource::Kind::kFile) return {};
  }
  axes.emplace(attribute.name, SharedAxis(attribute.domain));
  return {};
}

Result<LinkedReleases> LinkAll(const Policy& policy, LinkedTable current, const std::vector<const Attribute*>& attributes,
                               const std::vector<PreviousTable>& previous) {
  LinkedReleases made;
  made.linked.tables.push_back(std::move(current));
  for (const PreviousTable& each : previous) {
    CORDON_TRY(LinkedTable table, PreviousOf(each, policy));
    made.linked.tables.push_back(std::move(table));
  }
  const LinkedTable& first = made.linked.tables[0];
  for (std::size_t table = 1; table < made.linked.tables.size(); ++table) {
    const LinkedTable& other = made.linked.tables[table];
    if (other.num_rows == 0) return Error::InvalidData("{} has no rows", other.name);
    const bool shares = std::any_of(first.columns.begin(), first.columns.end(),
                                    [&](const LinkedColumn& column) { return other.Find(column.name).has_value(); });
    if (shares || !policy.impossible.empty()) continue;
    return Error::InvalidData("{} and {} have no column in common", first.name, other.name)
        .WithHint("columns with the same name are joined; check the first line of the file");
  }
  for (const Attribute* attribute : attributes) {
    const bool shared = std::any_of(made.linked.tables.begin() + 1, made.linked.tables.end(),
                                    [&](const LinkedTable& table) { return table.Find(attribute->name).has_value(); });
    const bool impossible = std::any_of(policy.impossible.begin(), policy.impossible.end(), [&](const ImpossiblePairs& each) {
      return each.current == attribute->name || each.previous == attribute->name;
    });
    if (shared || impossible) CORDON_RETURN_IF_ERROR(AddAxis(policy, *attribute, made.axes));
  }
  CORDON_RETURN_IF_ERROR(ReadExtents(made.linked, made.axes, policy.data.missing));
  for (const ImpossiblePairs& each : policy.impossible) {
    const bool known = std::any_of(made.linked.tables.begin() + 1, made.linked.tables.end(),
                                   [&](const LinkedTable& table) { return table.Find(each.previous).has_value(); });
    if (!known) {
      return Error::InvalidPolicy("[[impossible]] names '{}', which is not a column of a previous release", each.previous);
    }
    AddImpossible(made.linked, each.current, each.previous, each.pairs, made.axes);
  }
  return made;
}

}  // namespace

Error EndsNotKnown(const std::string& file, const std::string& column) {
  return Error::InvalidData("{}: whether the end in '{}_hi' belongs to its range is not known", file, column)
      .WithHint(
          "the manifest of a release says so: put {}.manifest.json next to it, or give the ranges as one column, [lo,hi) or "
          "[lo,hi]",
          file);
}

Result<LinkedReleases> LinkMicrodata(const Policy& policy, const Microdata& data, const std::string& name,
                                     const std::vector<PreviousTable>& previous) {
  LinkedTable table{name, data.num_rows, {}, data.persons};
  std::vector<const Attribute*> attributes;
  for (const MicrodataColumn& column : data.columns) {
    attributes.push_back(&column.attribute);
    if (column.attribute.role != Role::kQuasi) {
      table.columns.push_back({column.attribute.name, column.text.dictionary, column.text.codes, {}});
      continue;
    }
    auto texts = std::make_shared<Dictionary>();
    std::vector<Code> known(static_cast<std::size_t>(column.attribute.domain->size()), kNull);
    CodesBuilder codes;
    for (std::size_t row = 0; row < data.num_rows; ++row) {
      const Code code = column.codes[row];
      if (known[code] == kNull) known[code] = texts->Intern(column.attribute.domain->Publish(code, code));
      codes.Add(known[code]);
    }
    table.columns.push_back({column.attribute.name, texts, codes.Finish(), {}});
  }
  return LinkAll(policy, std::move(table), attributes, previous);
}

Result<LinkedReleases> LinkRelease(const Policy& policy, const Release& release, const std::string& name,
                                   const std::vector<PreviousTable>& previous) {
  LinkedTable table{name, release.num_rows, {}, release.persons};
  std::vector<const Attribute*> attributes;
  for (const ReleaseColumn& column : release.columns) {
    attributes.push_back(&column.attribute);
    table.columns.push_back({column.attribute.name, column.text.dictionary, column.text.codes, {}});
  }
  return LinkAll(policy, std::move(table), attributes, previous);
}

}  // namespace cordon::engine
