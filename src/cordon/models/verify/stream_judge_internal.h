// SPDX-License-Identifier: Apache-2.0
//
// How the stream's verifier decides one model of tuples that leave together. Second formulas on purpose: an engine keeps
// running counts, a judge sorts and looks at neighbours. A model that looks at more than one group (a window) can keep what
// it needs from Arrive on.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "cordon/models/spec/model_spec.h"
#include "cordon/models/verify/window_contents.h"

namespace cordon::engine {

class StreamJudge {
 public:
  explicit StreamJudge(const ModelSpec& spec) : text_(Describe(spec)) {}
  virtual ~StreamJudge() = default;
  // Whether the members satisfy the model by themselves; so do they then with any further members.
  virtual bool Holds(std::span<const WindowContents::Row> members) const = 0;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Result<std::unique_ptr<const StreamJudge>> MakeStreamJudge(const ModelSpec& spec, const StreamSchema& schema);

}  // namespace cordon::engine
