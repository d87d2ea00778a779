// SPDX-License-Identifier: Apache-2.0
// A cell of the data cannot be formatted into a message.
#include "cordon/base/error.h"
#include "cordon/data/cell.h"

cordon::Error Leak(cordon::Cell cell) {
#ifdef FORBIDDEN
  return cordon::Error::InvalidData("row {} holds {}", 7, cell);
#else
  (void)cell;
  return cordon::Error::InvalidData("row {} holds {}", 7, "something");
#endif
}
