// SPDX-License-Identifier: Apache-2.0
//
// What is known of a file once its bytes are complete.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cordon/io/text/text_format.h"

namespace cordon::engine {

struct Written {
  std::string sha256;  // of the bytes in the file (after compression), hexadecimal
  std::uint64_t bytes = 0;
  FileFormat format = FileFormat::kCsv;  // as it was really written
  TextFormat text;
  std::vector<std::string> columns;  // names in the file
};

}  // namespace cordon::engine
