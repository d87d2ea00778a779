// SPDX-License-Identifier: Apache-2.0
//
// cordon append: more rows for a store. Published groups stay as they are for ever. New rows wait, in the private half, until
// they satisfy the model on their own; then they are published in groups of their own. Each row is published once, so all
// releases together reveal what each reveals alone.
#pragma once

#include <optional>
#include <string>

#include "cordon/store/ke_permute.h"

namespace cordon::engine {

struct AppendRequest {
  std::string store;
  TableInput input;  // empty: nothing new, the store is to be compacted
  std::optional<FileFormat> input_format;
  bool again = false;               // take a batch in although one with the same bytes or rows was
  bool compact = false;             // all parts become one
  std::optional<std::string> sign;  // file of a private key; a signed store asks for one
  std::optional<std::uint64_t> seed;
  std::optional<std::string> registry;    // of releases; a store that was entered asks for it
  std::optional<std::string> person_key;  // of the digests by which the registry knows people
};

Result<KeReport> Append(const AppendRequest& request, const Run& run);

}  // namespace cordon::engine
