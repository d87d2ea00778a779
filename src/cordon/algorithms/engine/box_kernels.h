// SPDX-License-Identifier: Apache-2.0
//
// The two inner loops of the stream engines, over arrays of boxes or of points: what each would cost joined with one given
// box. They add in the order of the calls, lane by lane, without fused operations, so every instruction set gives the same
// bits and ties stay ties.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cordon::engine::internal {

// sums[i] += (max(his[i], hi) - min(los[i], lo)) * scale. Of points los == his.
void AddWidths(const double* los, const double* his, double lo, double hi, double scale, double* sums, std::size_t size);

// sums[i] += row[indices[i]].
void AddLookups(const std::int32_t* indices, const double* row, double* sums, std::size_t size);

// The least of `totals[i] - bases[i]`, each of which is stored; infinity where size is 0.
double Subtract(const double* totals, const double* bases, double* differences, std::size_t size);

}  // namespace cordon::engine::internal
