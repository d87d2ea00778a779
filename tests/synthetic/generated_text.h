// SPDX-License-Identifier: Apache-2.0
//
// Generated tables as the bytes of their files, for tests.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/data/hierarchy.h"
#include "cordon/synthetic/generate.h"

namespace cordon::engine {

inline Run Threads(int threads) {
  Run run;
  run.threads = threads;
  return run;
}

inline Generated Made(const GenerateOptions& options, int threads = 1) { return Generate(options, Threads(threads)).value(); }

inline std::string CsvOf(const Generated& generated) {
  std::string text;
  const auto append = [&](std::string_view bytes) -> Result<void> {
    text += bytes;
    return {};
  };
  EXPECT_TRUE(WriteCsv(generated, append, Run{}).ok());
  return text;
}

inline std::string FileOf(const Generated& generated, std::string_view name) {
  for (const auto& [file, text] : generated.files) {
    if (file == name) return text;
  }
  ADD_FAILURE() << "no file " << name;
  return "";
}

inline Hierarchy HierarchyOf(const Generated& generated, std::string_view name) {
  std::vector<std::vector<std::string>> paths;
  std::istringstream lines(FileOf(generated, name));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream labels(line);
    paths.emplace_back();
    for (std::string label; std::getline(labels, label, ';');) paths.back().push_back(label);
  }
  return Hierarchy::FromPaths(paths).value();
}

}  // namespace cordon::engine
