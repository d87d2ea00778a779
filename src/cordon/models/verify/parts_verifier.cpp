// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/parts_verifier.h"

#include <algorithm>

namespace cordon::engine {
namespace {

// The worse of two that hold. A row number of a part says nothing about the whole, so there is no witness in the end.
void TakeWorse(Verdict part, Verdict& all) {
  for (std::string& warning : part.warnings) {
    if (std::find(all.warnings.begin(), all.warnings.end(), warning) == all.warnings.end())
      all.warnings.push_back(std::move(warning));
  }
  const bool worse = part.less_is_worse ? part.reached < all.reached : part.reached > all.reached;
  if (!worse) return;
  part.warnings = std::move(all.warnings);
  all = std::move(part);
}

}  // namespace

PartsVerifier::PartsVerifier(std::vector<ModelSpec> specs) : specs_(std::move(specs)) {}

Result<void> PartsVerifier::Count(const Release& part) {
  CORDON_CHECK_EQ(accepted_, std::int64_t{0});
  return Verifier(specs_).Count(part, whole_);
}

Result<VerifiedRelease> PartsVerifier::Accept(Release part, const Run& run) {
  const auto rows = static_cast<std::int64_t>(part.num_rows);
  std::vector<Verdict> verdicts;
  CORDON_TRY(VerifiedRelease verified, Verifier(specs_, {.whole = &whole_}).Accept(std::move(part), run, &verdicts));
  accepted_ += rows;
  if (verdicts_.empty()) {
    verdicts_ = std::move(verdicts);
  } else if (rows > 0) {
    for (std::size_t i = 0; i < verdicts.size(); ++i) TakeWorse(std::move(verdicts[i]), verdicts_[i]);
  }
  return verified;
}

Result<std::vector<Verdict>> PartsVerifier::Finish() const {
  if (accepted_ != whole_.rows) {
    return Error::InvalidData("{} rows were judged, and {} counted before", accepted_, whole_.rows);
  }
  std::vector<Verdict> verdicts = verdicts_;
  for (Verdict& verdict : verdicts) verdict.witness.reset();
  return verdicts;
}

}  // namespace cordon::engine
