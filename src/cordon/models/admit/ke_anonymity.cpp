// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/admit/ke_anonymity.h"

#include <algorithm>

namespace cordon::engine {

KeAnonymity::KeAnonymity(KeAnonymitySpec spec, std::size_t histogram, std::shared_ptr<const Domain> domain)
    : spec_(std::move(spec)), histogram_(histogram), domain_(std::move(domain)), e_(spec_.e.numerator()) {
  for (int digit = 0; digit < domain_->scale(); ++digit) e_ *= 10;
  e_ = (e_ + spec_.e.denominator() - 1) / spec_.e.denominator();
}

bool KeAnonymity::Admits(const GroupCounts& group) const {
  const Code num_values = domain_->size() - (domain_->missing() ? 1 : 0);  // missing is the last code of numbers
  std::int64_t distinct = 0;
  std::int64_t rows = 0;
  std::int64_t most = 0;
  Code first = 0;
  Code last = 0;
  group.histogram(histogram_).ForEach([&](Code code, std::int64_t count) {
    if (code >= num_values) return;
    if (distinct == 0) first = code;
    last = code;
    ++distinct;
    rows += count;
    most = std::max(most, count);
  });
  if (distinct < spec_.k) return false;
  if (static_cast<Int128>(domain_->value(last)) - domain_->value(first) < e_) return false;
  return !spec_.max_share || Rational(most, rows) <= *spec_.max_share;
}

}  // namespace cordon::engine
