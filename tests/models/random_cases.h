// SPDX-License-Identifier: Apache-2.0
//
// Seeded random domains and tables for property tests. A failure names the seed that repeats it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "cordon/base/random.h"
#include "cordon/data/view.h"
#include "cordon/models/spec/model_spec.h"
#include "tests/models/build_microdata.h"

namespace cordon::engine::test {

inline std::int64_t Between(Random& random, std::int64_t lo, std::int64_t hi) {
  return lo + static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(hi - lo + 1)));
}

// A hierarchy over `leaves` leaves and up to three levels above them, with chains and branches of unequal depth: a part
// of a node's leaves may keep the node's label one level further down, so that its children stand lower.
class RandomTree {
 public:
  RandomTree(Random& random, int leaves) : random_(random), paths_(static_cast<std::size_t>(leaves)) {
    levels_ = static_cast<int>(Between(random, 1, 3));
    for (std::size_t leaf = 0; leaf < paths_.size(); ++leaf) {
      paths_[leaf].resize(static_cast<std::size_t>(levels_) + 1);
      paths_[leaf][0] = "v" + std::to_string(leaf);
      paths_[leaf].back() = "*";
    }
    Split(0, paths_.size(), levels_);
  }
  const std::vector<Texts>& paths() const { return paths_; }

 private:
  // Labels the level below `level` for the leaves begin..end-1, which share their label there.
  void Split(std::size_t begin, std::size_t end, int level) {
    if (level <= 1) return;
    for (std::size_t at = begin; at < end;) {
      const std::size_t part_end = at + 1 + static_cast<std::size_t>(random_.Below(end - at));
      const std::uint64_t choice = random_.Below(4);
      std::string label = "n" + std::to_string(++labels_);
      if (choice == 0) label = paths_[at][static_cast<std::size_t>(level)];
      if (choice == 1 && part_end == at + 1) label = paths_[at][0];
      for (std::size_t leaf = at; leaf < part_end; ++leaf) paths_[leaf][static_cast<std::size_t>(level) - 1] = label;
      Split(at, part_end, level - 1);
      // A leaf that was named early keeps its name further down.
      if (label == paths_[at][0]) {
        for (int below = 1; below < level; ++below) paths_[at][static_cast<std::size_t>(below)] = label;
      }
      at = part_end;
    }
  }

  Random& random_;
  std::vector<Texts> paths_;
  int levels_ = 1;
  int labels_ = 0;
};

// A table of two quasi columns and one sensitive column "s", with a partition into groups whose boxes differ.
struct RandomTable {
  Microdata data;
  Groups groups;
};

enum class SensitiveKind { kNumeric, kNumericWithMissing, kTree };

inline RandomTable MakeRandomTable(std::uint64_t seed, SensitiveKind kind, bool persons) {
  Random random = Random::FromSeed(seed);
  const int num_groups = static_cast<int>(Between(random, 1, 5));
  const int num_values = static_cast<int>(Between(random, 1, 6));
  DomainPtr domain;
  Texts names;
  if (kind == SensitiveKind::kTree) {
    const RandomTree tree(random, num_values);
    domain = Tree(tree.paths());
    for (const Texts& path : tree.paths()) names.push_back(path[0]);
  } else {
    const bool missing = kind == SensitiveKind::kNumericWithMissing;
    domain = Numbers(1, num_values, missing ? std::optional<std::string>("?") : std::nullopt);
    for (int value = 1; value <= num_values; ++value) names.push_back(std::to_string(value));
    if (missing) names.push_back("?");
  }
  TestColumn age{"age", Role::kQuasi, Numbers(0, 99), {}};
  TestColumn zip{"zip", Role::kQuasi, Numbers(0, 99), {}};
  TestColumn sensitive{"s", Role::kSensitive, domain, {}};
  std::vector<Code> person_of;
  RandomTable table;
  RowId row = 0;
  for (int group = 0; group < num_groups; ++group) {
    const std::int64_t rows = Between(random, 1, random.Below(4) == 0 ? 40 : 8);
    const std::uint64_t used = 1 + random.Below(names.size());  // fewer values make even groups likelier
    std::vector<RowId> members;
    for (std::int64_t i = 0; i < rows; ++i) {
      age.cells.push_back(std::to_string(10 * group + Between(random, 0, 9)));
      zip.cells.push_back(std::to_string(Between(random, 0, 99)));
      sensitive.cells.push_back(names[random.Below(used)]);
      person_of.push_back(static_cast<Code>(random.Below(12)));
      members.push_back(row++);
    }
    table.groups.Add(members);
  }
  if (!persons) person_of.clear();
  table.data = BuildMicrodata({age, zip, sensitive}, person_of);
  return table;
}

// One spec of every model about column "s", with parameters at which random groups fall on both sides.
inline std::vector<ModelSpec> RandomSpecs(Random& random, const Microdata& data) {
  const auto share = [&] { return Rational(Between(random, 1, 12), 12); };
  const Attribute& attribute = data.columns[2].attribute;
  const std::string value = std::string(data.columns[2].text.cell(random.Below(data.num_rows)).bytes());
  std::vector<ModelSpec> specs = {
      KAnonymitySpec{Between(random, 1, 8), {}},
      LDiversitySpec{"s", Between(random, 1, 4), LDiversitySpec::Kind::kDistinct, {}},
      LDiversitySpec{"s", Rational(Between(random, 2, 8), 2), LDiversitySpec::Kind::kEntropy, {}},
      LDiversitySpec{"s", Between(random, 1, 3), LDiversitySpec::Kind::kRecursive, Rational(Between(random, 1, 12), 4)},
      TClosenessSpec{"s", share(), Distance::kOrdered},
      TClosenessSpec{"s", share(), Distance::kEqual},
      BetaLikenessSpec{"s", Rational(Between(random, 1, 16), 4), BetaLikenessSpec::Kind::kBasic},
      BetaLikenessSpec{"s", Rational(Between(random, 1, 16), 4), BetaLikenessSpec::Kind::kEnhanced},
      DeltaDisclosureSpec{"s", Rational(Between(random, 1, 16), 4)},
      AlphaKSpec{"s", value, share(), Between(random, 1, 4)},
      ConfidenceSpec{{}, {{"s", {value}}}, share()},
      ConfidenceSpec{{}, {{"s", {}}}, share()},
      KsAnonymitySpec{Between(random, 1, 8)},
  };
  if (!attribute.domain->is_categorical()) {
    specs.push_back(KeAnonymitySpec{"s", Between(random, 2, 3), Rational(Between(random, 0, 8), 2),
                                    KeAnonymitySpec::Objective::kSum,
                                    random.Below(2) == 0 ? std::optional<Rational>() : std::optional(share())});
  }
  BetaLikenessSpec sets{"s", Rational(Between(random, 1, 16), 4), BetaLikenessSpec::Kind::kEnhanced};
  if (attribute.domain->is_categorical()) {
    sets.min_depth = Between(random, 0, 2);
    specs.push_back(TClosenessSpec{"s", share(), Distance::kHierarchical});
  } else {
    sets.range = Rational(Between(random, 1, 9), 2);
  }
  specs.insert(specs.begin() + 8, sets);
  return specs;
}

}  // namespace cordon::engine::test
