// SPDX-License-Identifier: Apache-2.0
//
// What an attack came to: how many targets it gets right, next to what a guess without the release gets right, with
// bootstrap intervals. Every attack scores its targets one by one; one function turns scores into a figure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "cordon/base/quick_random.h"

namespace cordon::engine {

struct Interval {
  double lo = 0;
  double hi = 0;
};

// A share of the targets. `interval` holds 95 % of the resamples.
struct Share {
  double value = 0;
  Interval interval;
};

// One target: the probability that the guess is right, with the release and without it.
struct Score {
  double right = 0;
  double baseline = 0;
  double belief = 0;     // of the attacker, in his guess
  bool guessed = true;   // false: he says nothing of this target
  double reference = 0;  // what a simpler attack on the release gets
};

struct AttackName {
  std::string attack;        // "linkage"
  std::string variant = "";  // "prosecutor"
  std::string column = "";   // the column he is after; empty: the person or the row itself
  std::string counts = "people";
};

struct Figure {
  AttackName name;
  std::uint64_t targets = 0;
  std::uint64_t guesses = 0;
  double right = 0;   // expected, if he picks at random
  bool exact = true;  // every guess is right or wrong: `right` is a count
  Share share;
  Share baseline;
  Share gain;
  double highest = 0;            // belief in one guess
  std::uint64_t sure = 0;        // guesses with a belief of kSure or more
  std::uint64_t sure_right = 0;  // of these
  std::string reference_name;    // empty: there is none
  double reference = 0;
};

inline constexpr double kSure = 0.9;
inline constexpr int kResamples = 1000;

Figure Summarize(AttackName name, std::span<const Score> scores, QuickRandom random);

// How many of `trials` succeed with probability p. Exact for small variances, else the rounded normal distribution: it only
// draws resamples.
std::uint64_t DrawBinomial(std::uint64_t trials, double p, QuickRandom& random);

}  // namespace cordon::engine
