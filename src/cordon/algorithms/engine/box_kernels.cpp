// SPDX-License-Identifier: Apache-2.0
//
// Each loop is written once and compiled for the plain machine and, if there is one, for AVX2; the processor decides
// at the first call.
#include "cordon/algorithms/engine/box_kernels.h"

#include <limits>

namespace cordon::engine::internal {
namespace {

[[gnu::always_inline]] inline void Widths(const double* los, const double* his, double lo, double hi, double scale,
                                          double* __restrict sums, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    const double top = his[i] > hi ? his[i] : hi;
    const double bottom = los[i] < lo ? los[i] : lo;
    sums[i] += (top - bottom) * scale;
  }
}

[[gnu::always_inline]] inline void Lookups(const std::int32_t* indices, const double* row, double* __restrict sums,
                                           std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) sums[i] += row[indices[i]];
}

[[gnu::always_inline]] inline double Differences(const double* totals, const double* bases, double* __restrict differences,
                                                 std::size_t size) {
  constexpr std::size_t kLanes = 8;
  double least[kLanes];
  for (double& each : least) each = std::numeric_limits<double>::infinity();
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double difference = totals[i + lane] - bases[i + lane];
      differences[i + lane] = difference;
      least[lane] = difference < least[lane] ? difference : least[lane];
    }
  }
  for (; i < size; ++i) {
    differences[i] = totals[i] - bases[i];
    least[0] = differences[i] < least[0] ? differences[i] : least[0];
  }
  for (const double each : least) least[0] = each < least[0] ? each : least[0];
  return least[0];
}

struct Kernels {
  decltype(&AddWidths) widths;
  decltype(&AddLookups) lookups;
  decltype(&Subtract) differences;
};

void PlainWidths(const double* los, const double* his, double lo, double hi, double scale, double* sums, std::size_t size) {
  Widths(los, his, lo, hi, scale, sums, size);
}
void PlainLookups(const std::int32_t* indices, const double* row, double* sums, std::size_t size) {
  Lookups(indices, row, sums, size);
}
double PlainDifferences(const double* totals, const double* bases, double* differences, std::size_t size) {
  return Differences(totals, bases, differences, size);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void Avx2Widths(const double* los, const double* his, double lo, double hi, double scale, double* sums,
                                        std::size_t size) {
  Widths(los, his, lo, hi, scale, sums, size);
}
[[gnu::target("avx2")]] void Avx2Lookups(const std::int32_t* indices, const double* row, double* sums, std::size_t size) {
  Lookups(indices, row, sums, size);
}
[[gnu::target("avx2")]] double Avx2Differences(const double* totals, const double* bases, double* differences,
                                               std::size_t size) {
  return Differences(totals, bases, differences, size);
}
#endif

Kernels Choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return {Avx2Widths, Avx2Lookups, Avx2Differences};
#endif
  return {PlainWidths, PlainLookups, PlainDifferences};
}

const Kernels& Chosen() {
  static const Kernels kernels = Choose();
  return kernels;
}

}  // namespace

void AddWidths(const double* los, const double* his, double lo, double hi, double scale, double* sums, std::size_t size) {
  Chosen().widths(los, his, lo, hi, scale, sums, size);
}

void AddLookups(const std::int32_t* indices, const double* row, double* sums, std::size_t size) {
  Chosen().lookups(indices, row, sums, size);
}

double Subtract(const double* totals, const double* bases, double* differences, std::size_t size) {
  return Chosen().differences(totals, bases, differences, size);
}

}  // namespace cordon::engine::internal
