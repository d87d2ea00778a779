// SPDX-License-Identifier: Apache-2.0
//
// Each loop is there for the plain machine and for AVX2, the marks also for AVX-512; the processor decides at the first call.
#include "cordon/algorithms/stream_rtree/leaf_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cordon::engine::internal {
namespace {

void GapsFrom(const BoxColumns& boxes, std::span<const double> point, std::span<const double> scales, double* sums,
              std::size_t start, std::size_t size) {
  for (std::size_t i = start; i < size; ++i) {
    double sum = 0;
    for (std::size_t axis = 0; axis < point.size(); ++axis) {
      const double below = boxes.los[axis * boxes.stride + i] - point[axis];
      const double above = point[axis] - boxes.his[axis * boxes.stride + i];
      const double outside = below > above ? below : above;
      sum += (outside > 0 ? outside : 0) * scales[axis];
    }
    sums[i] = sum;
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
  decltype(&Gaps) gaps;
  decltype(&MarkAll) marks;
};

void PlainGaps(const BoxColumns& boxes, std::span<const double> point, std::span<const double> scales, double* sums,
               std::size_t size) {
  GapsFrom(boxes, point, scales, sums, 0, size);
}
std::size_t PlainMarks(std::span<const CodeTest> tests, std::uint8_t* marks, std::size_t size) {
  return MarkFrom(tests, marks, 0, size);
}

#if defined(__x86_64__)
// Four boxes at a time, an axis after the other: the same operations in the same order.
[[gnu::target("avx2")]] void Avx2Gaps(const BoxColumns& boxes, std::span<const double> point, std::span<const double> scales,
                                      double* sums, std::size_t size) {
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    __m256d sum = _mm256_setzero_pd();
    for (std::size_t axis = 0; axis < point.size(); ++axis) {
      const __m256d x = _mm256_set1_pd(point[axis]);
      const __m256d below = _mm256_sub_pd(_mm256_loadu_pd(boxes.los + axis * boxes.stride + i), x);
      const __m256d above = _mm256_sub_pd(x, _mm256_loadu_pd(boxes.his + axis * boxes.stride + i));
      const __m256d outside = _mm256_max_pd(_mm256_max_pd(below, above), _mm256_setzero_pd());
      sum = _mm256_add_pd(sum, _mm256_mul_pd(outside, _mm256_set1_pd(scales[axis])));
    }
    _mm256_storeu_pd(sums + i, sum);
  }
  GapsFrom(boxes, point, scales, sums, i, size);
}
using Bytes32 = __m256i;

[[gnu::target("avx2"), gnu::always_inline]] inline void KeepWithin(const std::uint8_t* codes, Bytes32 lo, Bytes32 width,
                                                                   Bytes32& left) {
  const Bytes32 above = _mm256_sub_epi8(_mm256_loadu_si256(reinterpret_cast<const Bytes32*>(codes)), lo);
  left = _mm256_and_si256(left, _mm256_cmpeq_epi8(_mm256_min_epu8(above, width), above));
}
[[gnu::target("avx2"), gnu::always_inline]] inline std::size_t Store(Bytes32 left, std::uint8_t* marks) {
  _mm256_storeu_si256(reinterpret_cast<Bytes32*>(marks), left);
  return static_cast<std::size_t>(__builtin_popcount(static_cast<unsigned>(_mm256_movemask_epi8(_mm256_slli_epi16(left, 7)))));
}

// 128 at a time: what a test asks for is loaded once for all. No way out where none is left: to guess it wrongly costs more
// than the tests.
[[gnu::target("avx2")]] std::size_t Avx2Marks(std::span<const CodeTest> tests, std::uint8_t* marks, std::size_t size) {
  std::size_t count = 0;
  std::size_t i = 0;
  for (; i + 128 <= size; i += 128) {
    Bytes32 a = _mm256_set1_epi8(1);
    Bytes32 b = a;
    Bytes32 c = a;
    Bytes32 d = a;
    for (const CodeTest& test : tests) {
      const Bytes32 lo = _mm256_set1_epi8(static_cast<char>(test.lo));
      const Bytes32 width = _mm256_set1_epi8(static_cast<char>(test.width));
      KeepWithin(test.codes + i, lo, width, a);
      KeepWithin(test.codes + i + 32, lo, width, b);
      KeepWithin(test.codes + i + 64, lo, width, c);
      KeepWithin(test.codes + i + 96, lo, width, d);
    }
    count += Store(a, marks + i) + Store(b, marks + i + 32) + Store(c, marks + i + 64) + Store(d, marks + i + 96);
  }
  for (; i + 32 <= size; i += 32) {
    Bytes32 left = _mm256_set1_epi8(1);
    for (const CodeTest& test : tests) {
      KeepWithin(test.codes + i, _mm256_set1_epi8(static_cast<char>(test.lo)), _mm256_set1_epi8(static_cast<char>(test.width)),
                 left);
    }
    count += Store(left, marks + i);
  }
  return count + MarkFrom(tests, marks, i, size);
}

// 64 codes of which `those` are there.
[[gnu::target("avx512bw"), gnu::always_inline]] inline std::uint64_t KeptOf64(const std::uint8_t* codes, __m512i lo,
                                                                              __m512i width, std::uint64_t those) {
  const __m512i above = _mm512_sub_epi8(_mm512_maskz_loadu_epi8(those, codes), lo);
  return _mm512_mask_cmple_epu8_mask(those, above, width);
}

[[gnu::target("avx512bw")]] std::size_t Avx512Marks(std::span<const CodeTest> tests, std::uint8_t* marks, std::size_t size) {
  const __m512i one = _mm512_set1_epi8(1);
  std::size_t count = 0;
  std::size_t i = 0;
  for (; i + 128 <= size; i += 128) {
    std::uint64_t a = ~std::uint64_t{0};
    std::uint64_t b = a;
    for (const CodeTest& test : tests) {
      const __m512i lo = _mm512_set1_epi8(static_cast<char>(test.lo));
      const __m512i width = _mm512_set1_epi8(static_cast<char>(test.width));
      a = KeptOf64(test.codes + i, lo, width, a);
      b = KeptOf64(test.codes + i + 64, lo, width, b);
    }
    _mm512_storeu_si512(marks + i, _mm512_maskz_mov_epi8(a, one));
    _mm512_storeu_si512(marks + i + 64, _mm512_maskz_mov_epi8(b, one));
    count += static_cast<std::size_t>(__builtin_popcountll(a) + __builtin_popcountll(b));
  }
  for (; i < size; i += 64) {
    const std::uint64_t there = size - i >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (size - i)) - 1;
    std::uint64_t left = there;
    for (const CodeTest& test : tests) {
      left = KeptOf64(test.codes + i, _mm512_set1_epi8(static_cast<char>(test.lo)),
                      _mm512_set1_epi8(static_cast<char>(test.width)), left);
    }
    _mm512_mask_storeu_epi8(marks + i, there, _mm512_maskz_mov_epi8(left, one));
    count += static_cast<std::size_t>(__builtin_popcountll(left));
  }
  return count;
}
#endif

Kernels Choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw")) return {Avx2Gaps, Avx512Marks};
  if (__builtin_cpu_supports("avx2")) return {Avx2Gaps, Avx2Marks};
#endif
  return {PlainGaps, PlainMarks};
}

const Kernels& Chosen() {
  static const Kernels kernels = Choose();
  return kernels;
}

}  // namespace

void Gaps(const BoxColumns& boxes, std::span<const double> point, std::span<const double> scales, double* sums,
          std::size_t size) {
  Chosen().gaps(boxes, point, scales, sums, size);
}

std::size_t MarkAll(std::span<const CodeTest> tests, std::uint8_t* marks, std::size_t size) {
  return Chosen().marks(tests, marks, size);
}

}  // namespace cordon::engine::internal
