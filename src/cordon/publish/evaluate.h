// SPDX-License-Identifier: Apache-2.0
//
// What did a release cost, and what is it worth? Any tool's release, compared with the original.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cordon/publish/classify.h"
#include "cordon/publish/release_files.h"
#include "cordon/report/loss_bound.h"
#include "cordon/report/utility.h"

namespace cordon::engine {

struct EvaluateRequest {
  TableInput release;
  TableInput original;
  std::optional<FileFormat> format;  // of the release, if its name does not tell
  MeasureOptions measure;
  std::optional<ClassifyOptions> classify;  // trains a classifier on original and release
  std::optional<LossBoundOptions> bound;    // what must any release lose?
  std::optional<std::string> test;          // rows to test it on, in their original form
  std::optional<std::string> html;          // private: the answer as a page
};

struct Evaluation {
  std::uint64_t rows = 0;
  std::uint64_t input_rows = 0;
  Utility utility;
  std::optional<RiskReport> risk;
  bool rows_of_persons = false;  // people may have several rows, and risk is counted in rows
  std::optional<Statistics> statistics;
  std::optional<LossBound> bound;
  std::optional<ClassificationErrors> classification;
};

Result<Evaluation> Evaluate(const EvaluateRequest& request, const Policy& policy, const Run& run);

Json ToJson(const Evaluation& evaluation);
std::string Describe(const Evaluation& evaluation);

}  // namespace cordon::engine
