// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/spec/join_spec.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace cordon::engine {
namespace {

constexpr std::string_view kPrevious = "previous";

std::string JoinedRefs(const std::vector<ColumnRef>& refs) {
  std::vector<std::string> names;
  for (const ColumnRef& ref : refs) names.push_back(Describe(ref));
  return fmt::format("{}", fmt::join(names, "+"));
}

Result<void> CheckX(std::string_view model, const std::vector<ColumnRef>& x) {
  if (x.empty()) {
    return Error::InvalidPolicy("{} names no columns in x", model)
        .WithHint("x lists what an attacker knows: x = [\"job\", \"previous.zip\"]");
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::find(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(i), x[i]) != x.begin() + static_cast<std::ptrdiff_t>(i)) {
      return Error::InvalidPolicy("{} names '{}' twice in x", model, Describe(x[i]));
    }
  }
  return {};
}

Result<void> CheckApart(std::string_view model, const std::vector<ColumnRef>& x, const ColumnRef& y) {
  if (std::find(x.begin(), x.end(), y) == x.end()) return {};
  return Error::InvalidPolicy("{}: '{}' is in x and in y", model, Describe(y))
      .WithHint("x is what an attacker knows, y what must stay hidden");
}

Result<void> CheckJoin(const XyAnonymitySpec& spec) {
  CORDON_RETURN_IF_ERROR(CheckX("xy-anonymity", spec.x));
  for (const ColumnRef& y : spec.y) CORDON_RETURN_IF_ERROR(CheckApart("xy-anonymity", spec.x, y));
  if (spec.count == XyAnonymitySpec::Count::kColumns && spec.y.empty()) {
    return Error::InvalidPolicy("xy-anonymity names no columns in y").WithHint("y = \"person\" counts people");
  }
  if (spec.k >= 1) return {};
  return Error::InvalidPolicy("xy-anonymity: k is {}, it must be a whole number of at least 1", spec.k);
}

Result<void> CheckJoin(const XyLinkabilitySpec& spec) {
  CORDON_RETURN_IF_ERROR(CheckX("xy-linkability", spec.x));
  if (spec.values.empty()) {
    return Error::InvalidPolicy("xy-linkability guards no values").WithHint("add values = {{ column = [\"value\"] }}");
  }
  for (const auto& [ref, values] : spec.values) CORDON_RETURN_IF_ERROR(CheckApart("xy-linkability", spec.x, ref));
  if (spec.h > Rational(0) && spec.h <= Rational(1)) return {};
  return Error::InvalidPolicy("xy-linkability: h is {}, it must be above 0 and at most 1", spec.h.ToShortString());
}

using Columns = std::vector<std::vector<std::string>>;
using Place = ResolvedJoin::Place;

bool HasColumn(const Columns& columns, std::size_t table, const std::string& name) {
  return std::find(columns[table].begin(), columns[table].end(), name) != columns[table].end();
}

Result<Place> PlaceOf(const ColumnRef& ref, const Columns& columns) {
  if (ref.release != ColumnRef::kOnlyPrevious) {
    const auto table = static_cast<std::size_t>(ref.release);
    if (table >= columns.size()) {
      return Error::InvalidPolicy("'{}' names the previous release {}, and {} were given", Describe(ref), table,
                                  columns.size() - 1)
          .WithHint("releases are numbered in the order of --previous, from 1");
    }
    if (HasColumn(columns, table, ref.column)) return Place{table, ref.column};
    return Error::InvalidPolicy("{} has no column '{}'", table == 0 ? "the current release" : "that previous release",
                                ref.column)
        .WithHint("it has: {}", fmt::join(columns[table], ", "));
  }
  std::vector<std::size_t> having;
  for (std::size_t table = 1; table < columns.size(); ++table) {
    if (HasColumn(columns, table, ref.column)) having.push_back(table);
  }
  if (having.size() == 1) return Place{having[0], ref.column};
  if (having.empty()) {
    return Error::InvalidPolicy("no previous release has a column '{}'", ref.column)
        .WithHint("the columns are those of the file's first line");
  }
  return Error::InvalidPolicy("{} previous releases have a column '{}'", having.size(), ref.column)
      .WithHint("say which: previous{}.{}", having[0], ref.column);
}

// The columns by which rows are matched, of every release that takes part.
std::vector<Place> JoiningColumns(const Columns& columns, const std::vector<ImpossiblePairs>& impossible) {
  std::vector<Place> joining;
  for (std::size_t table = 0; table < columns.size(); ++table) {
    for (const std::string& name : columns[table]) {
      for (std::size_t other = 0; other < columns.size(); ++other) {
        bool joins = other != table && HasColumn(columns, other, name);
        for (const ImpossiblePairs& pairs : impossible) {
          if (other == table) continue;
          joins = joins || (name == pairs.current && HasColumn(columns, other, pairs.previous)) ||
                  (name == pairs.previous && HasColumn(columns, other, pairs.current));
        }
        if (joins) joining.push_back({table, name});
      }
    }
  }
  return joining;
}

Result<void> ResolveY(const JoinSpec& spec, const Columns& columns, ResolvedJoin& resolved) {
  if (const auto* linkability = std::get_if<XyLinkabilitySpec>(&spec)) {
    for (const auto& [ref, values] : linkability->values) {
      CORDON_TRY(Place place, PlaceOf(ref, columns));
      resolved.y.push_back({std::move(place), values});
    }
    return {};
  }
  const auto& anonymity = std::get<XyAnonymitySpec>(spec);
  switch (anonymity.count) {
    case XyAnonymitySpec::Count::kPersons: resolved.keys = {0}; break;
    case XyAnonymitySpec::Count::kPairs:
      for (std::size_t table = 0; table < columns.size(); ++table) resolved.keys.push_back(table);
      break;
    case XyAnonymitySpec::Count::kPreviousRows: {
      const int asked = anonymity.previous == ColumnRef::kOnlyPrevious ? 1 : anonymity.previous;
      if (anonymity.previous == ColumnRef::kOnlyPrevious && columns.size() > 2) {
        return Error::InvalidPolicy("y = \"rows of previous\" does not say of which of {} previous releases",
                                    columns.size() - 1)
            .WithHint("write y = \"rows of previous1\"");
      }
      if (static_cast<std::size_t>(asked) >= columns.size()) {
        return Error::InvalidPolicy("y names the previous release {}, and {} were given", asked, columns.size() - 1);
      }
      resolved.keys = {static_cast<std::size_t>(asked)};
      break;
    }
    case XyAnonymitySpec::Count::kColumns:
      for (const ColumnRef& ref : anonymity.y) {
        CORDON_TRY(Place place, PlaceOf(ref, columns));
        resolved.y.push_back({std::move(place), {}});
      }
  }
  return {};
}

}  // namespace

Result<ResolvedJoin> Resolve(const JoinSpec& spec, const Columns& columns, const std::vector<ImpossiblePairs>& impossible) {
  ResolvedJoin resolved;
  for (const ColumnRef& ref : KnownColumns(spec)) {
    CORDON_TRY(const Place place, PlaceOf(ref, columns));
    for (std::size_t table = 0; table < columns.size(); ++table) {
      if (HasColumn(columns, table, place.column)) resolved.x.push_back({table, place.column});
    }
  }
  std::sort(resolved.x.begin(), resolved.x.end());
  resolved.x.erase(std::unique(resolved.x.begin(), resolved.x.end()), resolved.x.end());
  CORDON_RETURN_IF_ERROR(ResolveY(spec, columns, resolved));
  for (const ResolvedJoin::Guarded& guarded : resolved.y) {
    const auto same = [&](const Place& place) { return place.column == guarded.place.column; };
    if (std::any_of(resolved.x.begin(), resolved.x.end(), same)) {
      return Error::InvalidPolicy(
          "the column '{}' is in x and in y: a column that several releases have stands for all its copies",
          guarded.place.column);
    }
    resolved.y_tables.push_back(guarded.place.table);
  }
  resolved.y_tables.insert(resolved.y_tables.end(), resolved.keys.begin(), resolved.keys.end());
  std::sort(resolved.y_tables.begin(), resolved.y_tables.end());
  resolved.y_tables.erase(std::unique(resolved.y_tables.begin(), resolved.y_tables.end()), resolved.y_tables.end());
  const std::vector<Place> joining = JoiningColumns(columns, impossible);
  resolved.closed = std::all_of(joining.begin(), joining.end(), [&](const Place& place) {
    return std::find(resolved.x.begin(), resolved.x.end(), place) != resolved.x.end();
  });
  return resolved;
}

ColumnRef ParseColumnRef(std::string_view text) {
  if (!text.starts_with(kPrevious)) return {0, std::string(text)};
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || dot + 1 == text.size()) return {0, std::string(text)};
  const std::string_view number = text.substr(kPrevious.size(), dot - kPrevious.size());
  if (number.empty()) return {ColumnRef::kOnlyPrevious, std::string(text.substr(dot + 1))};
  int release = 0;
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), release);
  if (code != std::errc() || end != number.data() + number.size() || release < 1) return {0, std::string(text)};
  return {release, std::string(text.substr(dot + 1))};
}

std::string Describe(const ColumnRef& ref) {
  if (ref.release == 0) return ref.column;
  if (ref.release == ColumnRef::kOnlyPrevious) return "previous." + ref.column;
  return fmt::format("previous{}.{}", ref.release, ref.column);
}

std::vector<JoinSpec> EveryJoinModel() { return {XyAnonymitySpec(), XyLinkabilitySpec()}; }

std::string ModelName(const JoinSpec& spec) {
  return std::visit([](const auto& each) { return each.kName; }, spec);
}

std::string YAsText(const XyAnonymitySpec& spec) {
  switch (spec.count) {
    case XyAnonymitySpec::Count::kPersons: return "person";
    case XyAnonymitySpec::Count::kPreviousRows:
      return spec.previous == ColumnRef::kOnlyPrevious ? "rows of previous" : fmt::format("rows of previous{}", spec.previous);
    case XyAnonymitySpec::Count::kPairs: return "pairs";
    case XyAnonymitySpec::Count::kColumns: return JoinedRefs(spec.y);
  }
  return "";
}

std::string Describe(const JoinSpec& spec) {
  if (const auto* anonymity = std::get_if<XyAnonymitySpec>(&spec)) {
    return fmt::format("xy-anonymity({} -> {}, k={})", JoinedRefs(anonymity->x), YAsText(*anonymity), anonymity->k);
  }
  const auto& linkability = std::get<XyLinkabilitySpec>(spec);
  std::vector<std::string> parts;
  for (const auto& [ref, values] : linkability.values) {
    parts.push_back(Describe(ref) + "=" + (values.empty() ? "*" : fmt::format("{}", fmt::join(values, "|"))));
  }
  return fmt::format("xy-linkability({} -> {}, h={})", JoinedRefs(linkability.x), fmt::join(parts, ", "),
                     linkability.h.ToShortString());
}

const std::vector<ColumnRef>& KnownColumns(const JoinSpec& spec) {
  return std::visit([](const auto& each) -> const std::vector<ColumnRef>& { return each.x; }, spec);
}

std::vector<ColumnRef> GuardedColumns(const JoinSpec& spec) {
  if (const auto* anonymity = std::get_if<XyAnonymitySpec>(&spec)) return anonymity->y;
  std::vector<ColumnRef> columns;
  for (const auto& [ref, values] : std::get<XyLinkabilitySpec>(spec).values) columns.push_back(ref);
  return columns;
}

Result<void> Validate(const JoinSpec& spec) {
  return std::visit([](const auto& each) { return CheckJoin(each); }, spec);
}

bool AlwaysHolds(const JoinSpec& spec) {
  if (const auto* anonymity = std::get_if<XyAnonymitySpec>(&spec)) return anonymity->k <= 1;
  return std::get<XyLinkabilitySpec>(spec).h >= Rational(1);
}

}  // namespace cordon::engine
