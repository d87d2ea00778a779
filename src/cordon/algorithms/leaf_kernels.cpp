// SPDX-License-Identifier: Apache-2.0
//
// Each loop is written once and compiled for the plain machine and, where there is one, for AVX2; the processor decides
// at the first call.
#include "cordon/algorithms/leaf_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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
std::size_t MarkFrom(std::span<const CodeTest> tests, std::uint8_t* marks, std::size_t start, std::size_t size) {
  std::size_t count = 0;
  for (std::size_t i = start; i < size; ++i) {
    std::uint8_t holds = 1;
    for (const CodeTest& test : tests) holds &= static_cast<std::uint8_t>(test.codes[i] - test.lo) <= test.width ? 1 : 0;
    marks[i] = holds;
    count += holds;
  }
  return count;
}

struct Kernels {
  decltype(&AddGaps) gaps;
  decltype(&MarkAll) marks;
};

void PlainGaps(const double* los, const double* his, double x, double scale, double* sums, std::size_t size) {
  Gaps(los, his, x, scale, sums, size);
}
std::size_t PlainMarks(std::span<const CodeTest> tests, std::uint8_t* marks, std::size_t size) {
  return MarkFrom(tests, marks, 0, size);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void Avx2Gaps(const double* los, const double* his, double x, double scale, double* sums,
                                      std::size_t size) {
  Gaps(los, his, x, scale, sums, size);
}
// 32 at a time, and no further test where none of them is left.
[[gnu::target("avx2")]] std::size_t Avx2Marks(std::span<const CodeTest> tests, std::uint8_t* marks, std::size_t size) {
  std::size_t count = 0;
  std::size_t i = 0;
  for (; i + 32 <= size; i += 32) {
    __m256i left = _mm256_set1_epi8(1);
    for (const CodeTest& test : tests) {
      const __m256i codes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(test.codes + i));
      const __m256i above = _mm256_sub_epi8(codes, _mm256_set1_epi8(static_cast<char>(test.lo)));
      const __m256i within = _mm256_cmpeq_epi8(_mm256_min_epu8(above, _mm256_set1_epi8(static_cast<char>(test.width))), above);
      left = _mm256_and_si256(left, within);
      if (_mm256_testz_si256(left, left)) break;
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(marks + i), left);
    count +=
        static_cast<std::size_t>(__builtin_popcount(static_cast<unsigned>(_mm256_movemask_epi8(_mm256_slli_epi16(left, 7)))));
  }
  return count + MarkFrom(tests, marks, i, size);
}
#endif

Kernels Choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return {Avx2Gaps, Avx2Marks};
#endif
  return {PlainGaps, PlainMarks};
}

const Kernels& Chosen() {
  static const Kernels kernels = Choose();
  return kernels;
}

}  // namespace

void AddGaps(const double* los, const double* his, double x, double scale, double* sums, std::size_t size) {
  Chosen().gaps(los, his, x, scale, sums, size);
}

std::size_t MarkAll(std::span<const CodeTest> tests, std::uint8_t* marks, std::size_t size) {
  return Chosen().marks(tests, marks, size);
}

}  // namespace cordon::internal
