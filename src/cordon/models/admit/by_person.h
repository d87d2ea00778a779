// SPDX-License-Identifier: Apache-2.0
//
// l-diversity, t-closeness and beta-likeness by who has which value (docs/models/counts_persons.md). With n people in a group,
// h(v) of whom have v in some row:
//
//   distinct l     h of the l - 1 most widespread values, added up, < n
//   recursive l    h1 < c (n - h of the l - 1 most widespread values, added up)
//   beta           h(v) is at most (1 + beta) times, or (1 + min(beta, -ln of its share)) times, what is expected
//   t              the sum of what shares of people are above those expected, over the sets of the distance
//
// Expected is, of a person with m rows in the group, min(1, m x the set's share of all published rows): no more people can be
// expected to have a value of the set, and of people with one row it is the share itself. So if each person has one row,
// these are the models of rows. They are not merge-closed: two groups may share a person.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

class ModelByPerson : public GroupModel {
 public:
  bool merge_closed() const final { return false; }
  bool uses_persons() const final { return true; }
  bool uses_holdings() const final { return true; }
};

class LDiversityByPerson final : public ModelByPerson {
 public:
  // A missing value is none, and people who have no other are left out.
  LDiversityByPerson(LDiversitySpec spec, std::size_t histogram, std::optional<Code> missing)
      : spec_(std::move(spec)), histogram_(histogram), missing_(missing) {}

  std::string Describe() const override { return cordon::engine::Describe(spec_); }
  bool Admits(const GroupCounts& group) const override;
  std::int64_t MinRows() const override { return spec_.l.numerator(); }  // l is whole
  // A row that comes or goes takes at most one of the people whom the most widespread values leave, and gives the most
  // widespread one at most one holder.
  std::int64_t Room(const GroupCounts& group) const override;

 private:
  struct Standing {
    std::int64_t most = 0;  // holders of the most widespread value
    std::int64_t rest = 0;  // people whom the l - 1 most widespread values leave, at least; 0 if there are fewer than l values
  };
  Standing StandingOf(const GroupCounts& group) const;

  LDiversitySpec spec_;
  std::size_t histogram_;
  std::optional<Code> missing_;
};

class BetaLikenessByPerson final : public ModelByPerson {
 public:
  BetaLikenessByPerson(BetaLikenessSpec spec, std::size_t histogram, std::vector<std::int64_t> whole);

  std::string Describe() const override { return cordon::engine::Describe(spec_); }
  bool Admits(const GroupCounts& group) const override;

 private:
  bool Within(Int128 holders, Int128 expected, Int128 everybody) const;

  BetaLikenessSpec spec_;
  std::size_t histogram_;
  std::vector<std::int64_t> whole_;
  std::int64_t whole_rows_;
};

class TClosenessByPerson final : public ModelByPerson {
 public:
  // `hierarchy`: of the distance hierarchical.
  TClosenessByPerson(TClosenessSpec spec, std::size_t histogram, std::vector<std::int64_t> whole,
                     std::shared_ptr<const Hierarchy> hierarchy);

  std::string Describe() const override { return cordon::engine::Describe(spec_); }
  bool Admits(const GroupCounts& group) const override;

 private:
  Int128 EqualRise(std::span<const Holding> group) const;
  Int128 OrderedRise(std::span<const Holding> group) const;
  Int128 HierarchicalRise(std::span<const Holding> group) const;

  TClosenessSpec spec_;
  std::size_t histogram_;
  std::shared_ptr<const Hierarchy> hierarchy_;
  std::int64_t scale_ = 1;
  std::int64_t whole_rows_;
  std::vector<std::int64_t> whole_;  // rows by value; ordered: with it or a smaller one; hierarchical: by node
};

}  // namespace cordon::engine
