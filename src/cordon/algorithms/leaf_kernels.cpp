// SPDX-License-Identifier: Apache-2.0
//
// Each loop is written once and compiled for the plain machine and, where there is one, for AVX2; the processor decides
// at the first call.
#include "cordon/algorithms/leaf_kernels.h"

#include <algorithm>

namespace cordon::internal {
namespace {

[[gnu::always_inline]] inline void Gaps(const double* los, const double* his, double x, double scale, double* __restrict sums,
                                        std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    const double below = los[i] - x;
    const double above = x - his[i];
    const double outside = below > above ? below : above;
    sums[i] += (outside > 0 ? outside : 0) * scale;
  }
}

// One comparison: what is below lo wraps round to something large.
[[gnu::always_inline]] inline void Within(const std::uint8_t* codes, std::uint8_t lo, std::uint8_t hi,
                                          std::uint8_t* __restrict marks, std::size_t size) {
  const auto width = static_cast<std::uint8_t>(hi - lo);
  for (std::size_t i = 0; i < size; ++i) {
    marks[i] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(codes[i] - lo) <= width ? marks[i] : 0);
  }
}

[[gnu::always_inline]] inline std::size_t Count(const std::uint8_t* marks, std::size_t size) {
  std::size_t count = 0;
  for (std::size_t start = 0; start < size; start += 128) {
    const std::size_t end = std::min(size, start + 128);
    std::uint32_t part = 0;
    for (std::size_t i = start; i < end; ++i) part += marks[i];
    count += part;
  }
  return count;
}

struct Kernels {
  decltype(&AddGaps) gaps;
  decltype(&KeepWithin) within;
  decltype(&CountMarks) count;
};

void PlainGaps(const double* los, const double* his, double x, double scale, double* sums, std::size_t size) {
  Gaps(los, his, x, scale, sums, size);
}
void PlainWithin(const std::uint8_t* codes, std::uint8_t lo, std::uint8_t hi, std::uint8_t* marks, std::size_t size) {
  Within(codes, lo, hi, marks, size);
}
std::size_t PlainCount(const std::uint8_t* marks, std::size_t size) { return Count(marks, size); }

#if defined(__x86_64__)
[[gnu::target("avx2")]] void Avx2Gaps(const double* los, const double* his, double x, double scale, double* sums,
                                      std::size_t size) {
  Gaps(los, his, x, scale, sums, size);
}
[[gnu::target("avx2")]] void Avx2Within(const std::uint8_t* codes, std::uint8_t lo, std::uint8_t hi, std::uint8_t* marks,
                                        std::size_t size) {
  Within(codes, lo, hi, marks, size);
}
[[gnu::target("avx2")]] std::size_t Avx2Count(const std::uint8_t* marks, std::size_t size) { return Count(marks, size); }
#endif

Kernels Choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return {Avx2Gaps, Avx2Within, Avx2Count};
#endif
  return {PlainGaps, PlainWithin, PlainCount};
}

const Kernels& Chosen() {
  static const Kernels kernels = Choose();
  return kernels;
}

}  // namespace

void AddGaps(const double* los, const double* his, double x, double scale, double* sums, std::size_t size) {
  Chosen().gaps(los, his, x, scale, sums, size);
}

void KeepWithin(const std::uint8_t* codes, std::uint8_t lo, std::uint8_t hi, std::uint8_t* marks, std::size_t size) {
  Chosen().within(codes, lo, hi, marks, size);
}

std::size_t CountMarks(const std::uint8_t* marks, std::size_t size) { return Chosen().count(marks, size); }

}  // namespace cordon::internal
