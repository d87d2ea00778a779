// SPDX-License-Identifier: Apache-2.0
// A cell of the data cannot be formatted into a message.
#include "cordon/base/error.h"
#include "cordon/data/cell.h"

cordon::engine::Error Leak(cordon::engine::Cell cell) {
#ifdef FORBIDDEN
  return cordon::engine::Error::InvalidData("row {} holds {}", 7, cell);
#else
  (void)cell;
  return cordon::engine::Error::InvalidData("row {} holds {}", 7, "something");
#endif
}
