// SPDX-License-Identifier: Apache-2.0
// Only the verifier makes a VerifiedRelease.
#include <utility>

#include "cordon/data/release.h"

using namespace cordon::engine;

const Release& Judge(Release release) {
#ifdef FORBIDDEN
  static const VerifiedRelease verified(std::move(release));
  return verified.release();
#else
  static const Release kept(std::move(release));
  return kept;
#endif
}
