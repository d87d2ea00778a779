// SPDX-License-Identifier: Apache-2.0
// Only the stream's verifier makes a VerifiedDeparture.
#include <utility>

#include "cordon/data/stream.h"

using namespace cordon::engine;

const Departure& Judge(Departure departure) {
#ifdef FORBIDDEN
  static const VerifiedDeparture verified(std::move(departure));
  return verified.departure();
#else
  static const Departure kept(std::move(departure));
  return kept;
#endif
}
