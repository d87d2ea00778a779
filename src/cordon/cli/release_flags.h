// SPDX-License-Identifier: Apache-2.0
//
// The flags that anonymize and release-next share, and how both run: from the flags to a request, one call, the report.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "cordon/cli/command.h"
#include "cordon/cli/policy_flags.h"
#include "cordon/publish/anonymize.h"

namespace cordon::engine {

struct ReleaseFlags {
  AnonymizeRequest request;
  std::vector<std::string> previous;  // release-next
  PolicyFlags policy;
  std::string format;
  std::string output_format;
  bool dry_run = false;
  bool json = false;

  // `inputs`: what INPUT may be, in words.
  void AddTo(CLI::App& parser, const std::string& inputs);
};

using PublishFunction = std::function<Result<Report>(const AnonymizeRequest&, const Policy&, const Run&)>;
// `flags.request` is complete but for the flags above.
Result<Answer> RunRelease(const ReleaseFlags& flags, const PublishFunction& publish, Console& console, const Run& run);

}  // namespace cordon::engine
