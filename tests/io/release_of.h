// SPDX-License-Identifier: Apache-2.0
//
// Releases as plain strings, for the tests of what is written.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cordon/data/release.h"
#include "tests/io/support.h"

namespace cordon::engine {

// Stands in for the verifier of models, which this program does not link: the tests here are about bytes, and only a
// class of this name can let a release pass.
class Verifier {
 public:
  static VerifiedRelease Pass(Release release) { return VerifiedRelease(std::move(release)); }
};

inline ReleaseColumn MakeColumn(Attribute attribute, const std::vector<std::string>& cells) {
  auto dictionary = std::make_shared<Dictionary>();
  CodesBuilder codes;
  for (const std::string& cell : cells) codes.Add(cell == kAbsent ? kNull : dictionary->Intern(cell));
  const std::string name = attribute.name;
  return {std::move(attribute), {name, dictionary, codes.Finish()}};
}

inline Release ReleaseOf(std::vector<ReleaseColumn> columns) {
  Release release;
  release.num_rows = columns.empty() ? 0 : columns[0].text.codes.size();
  release.columns = std::move(columns);
  return release;
}

inline Attribute Named(std::string name) { return {.name = std::move(name), .role = Role::kInsensitive, .domain = nullptr}; }

}  // namespace cordon::engine
