// SPDX-License-Identifier: Apache-2.0
//
// Models for the sensitive columns of a draft, each with its reason. All of them together are satisfied by the table as one
// group, so a run by the draft finds a release.
//
// Different values if none of them dominates, else a distribution close to that of the table; of numbers the latter, since
// different numbers may be nearly the same. If people have several rows, models count people: docs/models/counts_persons.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/data/table.h"
#include "cordon/inspect/profile.h"
#include "cordon/inspect/round_sensitive.h"

namespace cordon::engine {

class GuardDrafter {
 public:
  // All three outlive it.
  GuardDrafter(const Table& table, const Profile& profile, const SensitiveRounding& rounding);

  // Streams compare groups with a window only if the values are declared, so their drafts have l-diversity alone.
  bool HasStreamGuard(std::size_t column) const;

  std::optional<std::size_t> person() const { return person_; }  // the column that tells people apart
  // Whether people have several rows, and models are to count people.
  bool counts_persons() const { return several_rows_; }
  std::string WhyPersons() const;  // REQUIRES: counts_persons()

  // The models of a sensitive column, in TOML. Streams count rows.
  std::string Draft(std::size_t column, bool stream) const;

 private:
  // What the column holds, as it will be published.
  struct Values {
    std::vector<std::size_t> of_code;  // by code + 1: the place of its value in their order; the missing one is the last
    std::vector<std::uint64_t> rows;   // by place
    std::optional<std::size_t> missing;
    std::size_t num_present() const { return rows.size() - (missing ? 1 : 0); }
  };
  // Who has which value.
  struct People {
    std::uint64_t people = 0;           // with a value
    std::vector<std::uint64_t> having;  // each value, by place
    double rise = 0;  // what the whole table reaches of t-closeness by person: nothing, unless people differ much in rows
  };
  bool IsMissing(std::string_view text) const;
  std::optional<std::int64_t> NumberOf(std::string_view text, std::size_t column, const Rounding& rounding) const;
  Values ValuesOf(std::size_t column, bool ordered) const;
  People PeopleOf(std::size_t column, const Values& values, bool ordered) const;
  bool IsOrdered(std::size_t column) const;
  static std::uint64_t MostFrequent(const Values& values, const std::vector<std::uint64_t>& having);
  static std::uint64_t LargestL(const Values& values, const People& people);
  double UsualT(const Values& values, bool ordered, std::string* why) const;
  std::string Diversity(std::size_t column, std::uint64_t l, bool persons) const;

  const Table& table_;
  const Profile& profile_;
  const SensitiveRounding& rounding_;
  std::optional<std::size_t> person_;  // the column that tells people apart
  bool several_rows_ = false;
};

}  // namespace cordon::engine
