// SPDX-License-Identifier: Apache-2.0
//
// The mean loss of the last groups: a ring and a running sum, which is added up afresh each time round so that rounding does
// not pile up.
#pragma once

#include <cmath>
#include <numeric>
#include <vector>

#include "cordon/base/bytes.h"

namespace cordon::engine {

class LossHistory {
 public:
  explicit LossHistory(std::size_t length) : length_(length) {}

  double mean() const { return losses_.empty() ? 0 : sum_ / static_cast<double>(losses_.size()); }

  void Push(double loss) {
    if (losses_.size() < length_) {
      losses_.push_back(loss);
      sum_ += loss;
      return;
    }
    sum_ += loss - losses_[next_];
    losses_[next_] = loss;
    next_ = (next_ + 1) % length_;
    if (next_ == 0) sum_ = std::accumulate(losses_.begin(), losses_.end(), 0.0);
  }

  void Save(ByteWriter& writer) const {
    writer.Count(losses_.size());
    for (const double loss : losses_) writer.Real(loss);
    writer.Count(next_);
    writer.Real(sum_);
  }
  void Restore(ByteReader& reader) {
    const std::size_t size = reader.Length();
    if (size > length_) return reader.Fail();
    losses_.resize(size);
    for (double& loss : losses_) loss = reader.Real();
    next_ = static_cast<std::size_t>(reader.Count());
    sum_ = reader.Real();
    if (next_ >= length_ || !std::isfinite(sum_)) reader.Fail();
    for (const double loss : losses_) {
      if (!(loss >= 0 && loss <= 2)) reader.Fail();
    }
  }

 private:
  std::size_t length_;
  std::vector<double> losses_;
  std::size_t next_ = 0;
  double sum_ = 0;
};

}  // namespace cordon::engine
