// SPDX-License-Identifier: Apache-2.0
//
// What published cells say, on the axis of the original: the run of codes each text of a quasi column stands for, and the
// code of each text of a sensitive column. What estimates over a release start from.
#pragma once

#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/release.h"

namespace cordon::engine {

// "row 3, column 'age': the cell is not a value, label or range of this attribute".
Error UnreadableCell(const ReleaseColumn& column, Code code, std::size_t num_rows);

// By text code + 1; place 0 is that of absent cells, which read like the empty text. Texts that no row shows are not read.
// A range may be empty (lo > hi): a cell that stands for no value of the domain.
Result<std::vector<CodeRange>> PublishedRanges(const ReleaseColumn& column, const Domain& domain, std::size_t num_rows);

// By text code + 1, the value on `domain`; kNull for a text that is none.
std::vector<Code> PublishedValues(const ReleaseColumn& column, const Domain& domain);

}  // namespace cordon::engine
