/* Arithmetic on 8 neighbouring elements, for C that forebay generates with --cpu x86-64-v3, x86-64-v4
   or cascadelake.

   With AVX2 these functions are a few instructions each. Where forebay_avx2.h has no instructions,
   they are plain C with the same results. The file is the same in every project. */
#ifndef FOREBAY_AVX2_ELEMENTS_H
#define FOREBAY_AVX2_ELEMENTS_H

#include "forebay_avx2.h"

#if FOREBAY_AVX2

/* Sums, differences and products of each lane, which wrap around. */
FOREBAY_AVX2_INLINE forebay_i32x8 forebay_add_i32x8(forebay_i32x8 a, forebay_i32x8 b) {
  return _mm256_add_epi32(a, b);
}

FOREBAY_AVX2_INLINE forebay_i32x8 forebay_subtract_i32x8(forebay_i32x8 a, forebay_i32x8 b) {
  return _mm256_sub_epi32(a, b);
}

FOREBAY_AVX2_INLINE forebay_i32x8 forebay_multiply_i32x8(forebay_i32x8 a, forebay_i32x8 b) {
  return _mm256_mullo_epi32(a, b);
}

/* The same with one number for all lanes. */
FOREBAY_AVX2_INLINE forebay_i32x8 forebay_add_each_i32x8(forebay_i32x8 a, int32_t b) {
  return _mm256_add_epi32(a, _mm256_set1_epi32(b));
}

FOREBAY_AVX2_INLINE forebay_i32x8 forebay_multiply_each_i32x8(forebay_i32x8 a, int32_t b) {
  return _mm256_mullo_epi32(a, _mm256_set1_epi32(b));
}

/* Each value * multiplier / 2^shift, rounded to 32 bits and once more, halves away from zero: for
   |value| < 2^30 and 32 <= shift <= 53. */
FOREBAY_AVX2_INLINE forebay_i32x8 forebay_rescale_i32x8(forebay_i32x8 value, int32_t multiplier,
                                                        int32_t shift) {
  const __m256i factor = _mm256_set1_epi32(multiplier);
  const __m256i half = _mm256_set1_epi64x(INT64_C(1) << 31);
  const __m256i twice = forebay_multiply_each_i32x8(value, 2); /* One product with that before. */
  const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(twice, factor), half);
  const __m256i odd =
      _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(twice, 32), factor), half);
  const __m256i product = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
  const __m256i down = _mm256_add_epi32(product, _mm256_srai_epi32(product, 31));
  const __m256i bits = _mm256_srai_epi32(down, shift - 32);
  return _mm256_srai_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(1)), 1);
}

#else

/* Sums, differences and products of each lane, which wrap around. */
static inline forebay_i32x8 forebay_add_i32x8(forebay_i32x8 a, forebay_i32x8 b) {
  for (int32_t i = 0; i < 8; ++i) {
    a.element[i] = (int32_t)((uint32_t)a.element[i] + (uint32_t)b.element[i]);
  }
  return a;
}

static inline forebay_i32x8 forebay_subtract_i32x8(forebay_i32x8 a, forebay_i32x8 b) {
  for (int32_t i = 0; i < 8; ++i) {
    a.element[i] = (int32_t)((uint32_t)a.element[i] - (uint32_t)b.element[i]);
  }
  return a;
}

static inline forebay_i32x8 forebay_multiply_i32x8(forebay_i32x8 a, forebay_i32x8 b) {
  for (int32_t i = 0; i < 8; ++i) {
    a.element[i] = (int32_t)((uint32_t)a.element[i] * (uint32_t)b.element[i]);
  }
  return a;
}

/* The same with one number for all lanes. */
static inline forebay_i32x8 forebay_add_each_i32x8(forebay_i32x8 a, int32_t b) {
  return forebay_add_i32x8(a, forebay_splat_i32x8(b));
}

static inline forebay_i32x8 forebay_multiply_each_i32x8(forebay_i32x8 a, int32_t b) {
  return forebay_multiply_i32x8(a, forebay_splat_i32x8(b));
}

/* Each value * multiplier / 2^shift, rounded to 32 bits and once more, halves away from zero: for
   |value| < 2^30 and 32 <= shift <= 53. */
static inline forebay_i32x8 forebay_rescale_i32x8(forebay_i32x8 value, int32_t multiplier,
                                                  int32_t shift) {
  for (int32_t i = 0; i < 8; ++i) {
    const int64_t product = (int64_t)(value.element[i] * 2) * multiplier + ((int64_t)1 << 31);
    const int32_t rounded = (int32_t)(product >> 32);
    value.element[i] = (((rounded + (rounded >> 31)) >> (shift - 32)) + 1) >> 1;
  }
  return value;
}

#endif

/* As forebay_rescale, rounded twice where shift > 31, for all values of which the result has 32
   bits. */
static inline forebay_i32x8 forebay_scale_i32x8(forebay_i32x8 value, int32_t multiplier,
                                                int32_t shift) {
  int32_t values[8];
  const int64_t rounding = (int64_t)1 << (shift - 1);
  FOREBAY_AVX2_PUT(values, value);
  for (int32_t i = 0; i < 8; ++i) {
    const int64_t last = shift > 31 ? (values[i] >= 0 ? (1 << 30) : -(1 << 30)) : 0;
    values[i] = (int32_t)(((int64_t)values[i] * multiplier + rounding + last) >> shift);
  }
  return forebay_load_i32x8(values);
}

#endif /* FOREBAY_AVX2_ELEMENTS_H */
