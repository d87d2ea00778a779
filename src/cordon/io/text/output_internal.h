// SPDX-License-Identifier: Apache-2.0
//
// Where rendered bytes go: an atomic file or standard output, hashed and counted on the way. Parts are compressed
// one by one (each a gzip member; members in a row are one gzip file), so that this can be done side by side.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "cordon/base/digest.h"
#include "cordon/base/result.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/text/written.h"

namespace cordon::engine {

class Output {
 public:
  static Result<Output> Open(const std::string& path);  // "-" is standard output

  Result<void> Write(std::string_view bytes);
  // What was written, and the file that waits for its Commit (none: standard output). Ends this output.
  std::pair<Written, std::optional<AtomicFile>> Finish();

 private:
  explicit Output(std::optional<AtomicFile> file) : file_(std::move(file)) {}

  std::optional<AtomicFile> file_;  // none: standard output
  Sha256 sha256_;
  std::uint64_t bytes_ = 0;
};

// Size and SHA-256 of a file that something else wrote.
Result<Written> DescribeFile(const std::string& path, const std::stop_token& stop);

// One gzip member. The same bytes give the same member: no time stamp, no name.
Result<std::string> GzipMember(std::string_view bytes);

}  // namespace cordon::engine
