// SPDX-License-Identifier: Apache-2.0
//
// A table taken for a release without a policy: the caller names the quasi and the sensitive columns, everything else
// is read off the cells. For `check`, which measures what is there.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/release.h"
#include "cordon/data/table.h"
#include "cordon/io/table_input.h"
#include "cordon/io/text/text_format.h"

namespace cordon::engine {

// A sensitive column whose cells are all numbers is ordered; any other is a set of values without order. An empty
// sensitive cell is missing: no value for l, one more for t, beta and delta. `person`, if not empty, is the column that tells
// people apart; rows without a value there are one common person.
Result<Release> ReleaseFromTable(const Table& table, const std::vector<std::string>& quasi,
                                 const std::vector<std::string>& sensitive, const std::string& person = "");

// That the table has no column of this name, and what may have been meant.
Error NoColumn(const Table& table, const std::string& name);

// How a file is written: its encoding by all of its bytes; of `, ; |` and tab the one the first line has most of, or a space;
// `delimiter`, if not empty, is taken as it is. A table in memory needs none of this, and a pipe can be read only once.
Result<TextFormat> GuessTextFormat(const TableInput& input, const std::string& delimiter, std::optional<FileFormat> format,
                                   const std::stop_token& stop = {});

}  // namespace cordon::engine
