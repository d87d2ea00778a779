// SPDX-License-Identifier: Apache-2.0
//
// Small random streams with bad rows among the good, and policies that fit them.
#pragma once

#include <fmt/format.h>

#include <string>

#include "cordon/base/random.h"
#include "cordon/policy/policy.h"
#include "cordon/policy/read_policy.h"

namespace cordon::engine::testing {

struct StreamCase {
  std::int64_t k = 3;
  std::string delay = "20";  // empty: none
  std::string stream;        // further keys of [stream]
  std::string algorithm;     // keys of [algorithm] and tables below it
  std::string privacy;       // further models
};

inline Policy PolicyOf(const StreamCase& c) {
  const std::string text =
      fmt::format(R"(
[data]
missing = ["?"]
[attributes.id]
role = "person"
[attributes.age]
role = "quasi"
type = "numeric"
range = [0, 99]
[attributes.sex]
role = "quasi"
type = "categorical"
values = ["F", "M"]
[attributes.disease]
role = "sensitive"
type = "categorical"
{}
[attributes.note]
role = "insensitive"
[[privacy]]
model = "ks-anonymity"
k = {}
{}
[algorithm]
{}
[stream]
{}
max_dead_letters = 100000
{}
)",
                  c.privacy.find("disease") == std::string::npos ? "unguarded = \"of no matter here\"" : "", c.k, c.privacy,
                  c.algorithm, c.delay.empty() ? "" : "delay = " + c.delay, c.stream);
  Result<Policy> policy = ParsePolicy(text, ".", "case.toml");
  if (!policy.ok()) fmt::print(stderr, "{}\n", policy.error().message());
  return std::move(policy).value();
}

// Rows with their header. About one in `bad_every` cannot be taken.
inline std::string RandomRows(std::uint64_t seed, std::size_t rows, std::size_t bad_every) {
  Random random = Random::FromSeed(seed);
  static constexpr const char* kBad[] = {"p1,abc,F,flu,x\n",  "p1,200,F,flu,x\n", "p1,30,X,flu,x\n",   "p1,30\n",
                                         "p1,3\"0,F,flu,x\n", "p1,?,F,flu,x\n",   "p1,30,\"F,flu,x\n", "\xff,30,F,flu,x\n"};
  std::string text = "id,age,sex,disease,note\n";
  for (std::size_t row = 0; row < rows; ++row) {
    if (bad_every > 0 && random.Below(bad_every) == 0) text += kBad[random.Below(std::size(kBad))];
    const std::uint64_t age = random.Below(3) == 0 ? random.Below(100) : 20 + random.Below(15);
    text += fmt::format("p{},{},{},d{},\"n {}\"\n", random.Below(rows / 3 + 1), age, random.Below(2) == 0 ? "F" : "M",
                        random.Below(6), row);
  }
  return text;
}

}  // namespace cordon::engine::testing
