// SPDX-License-Identifier: Apache-2.0
//
// The flags by which several commands are told what to measure.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cordon/report/loss_bound.h"
#include "cordon/report/utility.h"

namespace cordon::engine {

struct MeasureFlags {
  std::uint64_t queries = 0;  // 0: none
  QueryOptions workload;
  std::optional<std::uint64_t> kl_level;
  bool statistics = false;
  std::string threshold = "0.2";
  double sampling_fraction = 1;
  bool bound = false;
  LossBoundOptions bounding;

  // `queries`: how many unless --queries says otherwise.
  void AddTo(CLI::App& parser, std::uint64_t default_queries);
  // --statistics, of commands that show them.
  void AddStatisticsTo(CLI::App& parser);
  // --bound and --bound-sample.
  void AddBoundTo(CLI::App& parser, const std::string& text);
  Result<MeasureOptions> Options() const;
  std::optional<LossBoundOptions> Bound() const { return bound ? std::optional(bounding) : std::nullopt; }
};

}  // namespace cordon::engine
