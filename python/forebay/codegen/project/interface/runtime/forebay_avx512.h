/* Sums of 16 neighbouring results at once, for C that forebay generates with --cpu cascadelake.

   With AVX-512 VNNI these functions are a few instructions each. With FOREBAY_AVX512 defined as 0,
   and for all other processors, they are plain C with the same results. The file is the same in
   every project. */
#ifndef FOREBAY_AVX512_H
#define FOREBAY_AVX512_H

#include "forebay_avx2.h"

#if !defined FOREBAY_AVX512
#if FOREBAY_AVX2 && FOREBAY_VNNI && defined __AVX512F__ && defined __AVX512BW__
#define FOREBAY_AVX512 1
#else
#define FOREBAY_AVX512 0
#endif
#endif

#if FOREBAY_AVX512

/* 64 elements in the order of memory; 16 sums; 16 factors, each in 32 bits. */
typedef __m512i forebay_i8x64;
typedef __m512i forebay_i32x16;
typedef __m512i forebay_i16x16;

FOREBAY_AVX2_INLINE forebay_i8x64 forebay_load_i8x64(const int8_t *elements) {
  return _mm512_loadu_si512((const void *)elements);
}

FOREBAY_AVX2_INLINE forebay_i32x16 forebay_load_i32x16(const int32_t *elements) {
  return _mm512_loadu_si512((const void *)elements);
}

FOREBAY_AVX2_INLINE forebay_i32x16 forebay_splat_i32x16(int32_t element) {
  return _mm512_set1_epi32(element);
}

FOREBAY_AVX2_INLINE forebay_i16x16 forebay_splat_i16x16(int16_t element) {
  return _mm512_set1_epi32(element);
}

/* Elements of 8 bits, sign-extended. */
FOREBAY_AVX2_INLINE forebay_i32x16 forebay_extend_i32x16(const int8_t *elements) {
  return _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(const void *)elements));
}

FOREBAY_AVX2_INLINE forebay_i16x16 forebay_extend_i16x16(const int8_t *elements) {
  return forebay_extend_i32x16(elements);
}

/* Each sum[i] + (a[i] + offset) * b[i], which wraps around; a[i] + offset has 16 bits. */
FOREBAY_AVX2_INLINE forebay_i32x16 forebay_multiply_add_i32x16(forebay_i32x16 sum, forebay_i16x16 a,
                                                               int32_t offset, forebay_i16x16 b) {
  const __m512i moved = offset == 0 ? a : _mm512_add_epi32(a, _mm512_set1_epi32(offset));
  if (offset >= 128) { /* The upper 16 bits of each element are 0. */
    return _mm512_dpwssd_epi32(sum, moved, b);
  }
  return _mm512_add_epi32(sum, _mm512_mullo_epi32(moved, b));
}

/* Each sum[i] + all (a[k] + offset) * b[4 * i + k], which wraps around. */
FOREBAY_AVX2_INLINE forebay_i32x16 forebay_dot_each_i32x16(forebay_i32x16 sum, forebay_i8x4 a,
                                                           int32_t offset, forebay_i8x64 b) {
  const __m512i word = _mm512_broadcastd_epi32(a);
  const __m512i moved = _mm512_xor_si512(word, _mm512_set1_epi8(INT8_MIN)); /* a[k] + 128 */
  const __m512i total = _mm512_dpbusd_epi32(sum, moved, b);
  if (offset == 128) {
    return total;
  }
  const __m512i factors = _mm512_dpbusd_epi32(_mm512_setzero_si512(), _mm512_set1_epi8(1), b);
  return _mm512_add_epi32(total, _mm512_mullo_epi32(factors, _mm512_set1_epi32(offset - 128)));
}

FOREBAY_AVX2_INLINE forebay_i32x8 forebay_dot_each_i32x8(forebay_i32x8 sum, forebay_i8x4 a,
                                                         int32_t offset, forebay_i8x32 b) {
  const __m256i word = _mm256_broadcastd_epi32(a);
  const __m256i moved = _mm256_xor_si256(word, _mm256_set1_epi8(INT8_MIN));
  const __m256i total = _mm256_dpbusd_epi32(sum, moved, b);
  if (offset == 128) {
    return total;
  }
  const __m256i factors = _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_set1_epi8(1), b);
  return _mm256_add_epi32(total, _mm256_mullo_epi32(factors, _mm256_set1_epi32(offset - 128)));
}

/* Store each value * multiplier / 2^shift, rounded to 32 bits and once more, halves away from zero,
   plus zero_point, limited to low and high, in 8 bits: for |value| < 2^30 and 32 <= shift <= 53. */
FOREBAY_AVX2_INLINE void forebay_store_rescaled_i32x16(int8_t *out, forebay_i32x16 value,
                                                       forebay_i32x16 multiplier,
                                                       forebay_i32x16 shift, int32_t zero_point,
                                                       int32_t low, int32_t high) {
  const __m512i half = _mm512_set1_epi64(INT64_C(1) << 31);
  const __m512i twice = _mm512_add_epi32(value, value);
  const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(twice, multiplier), half);
  const __m512i odd = _mm512_add_epi64(
      _mm512_mul_epi32(_mm512_srli_epi64(twice, 32), _mm512_srli_epi64(multiplier, 32)), half);
  const __m512i product = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
  /* Halves below zero may be rounded up where a limit replaces all results below zero. */
  const __m512i down =
      zero_point <= low ? product : _mm512_add_epi32(product, _mm512_srai_epi32(product, 31));
  const __m512i bits = _mm512_sub_epi32(shift, _mm512_set1_epi32(32));
  /* The zero point is added to twice the result, before it is rounded. */
  const __m512i one = _mm512_set1_epi32(2 * zero_point + 1);
  const __m512i result = _mm512_srai_epi32(_mm512_add_epi32(_mm512_srav_epi32(down, bits), one), 1);
  __m128i narrow = _mm512_cvtsepi32_epi8(result);
  if (low > INT8_MIN) {
    narrow = _mm_max_epi8(narrow, _mm_set1_epi8((int8_t)low));
  }
  if (high < INT8_MAX) {
    narrow = _mm_min_epi8(narrow, _mm_set1_epi8((int8_t)high));
  }
  _mm_storeu_si128((__m128i *)(void *)out, narrow);
}

/* Each value * multiplier / 2^shift, rounded twice where shift > 31, of lanes of 64 bits. The upper
   halves of values and multipliers are not used. */
FOREBAY_AVX2_INLINE __m512i forebay_avx512_scaled(__m512i value, __m512i multiplier,
                                                  __m512i shift) {
  const __m512i one = _mm512_set1_epi64(1);
  const __m512i away = _mm512_set1_epi64(INT64_C(1) << 30);
  const __m512i half = _mm512_sllv_epi64(one, _mm512_sub_epi64(shift, one));
  const __m512i product = _mm512_add_epi64(_mm512_mul_epi32(value, multiplier), half);
  const __mmask8 is_negative = _mm512_movepi64_mask(_mm512_slli_epi64(value, 32));
  const __m512i signed_away =
      _mm512_mask_sub_epi64(away, is_negative, _mm512_setzero_si512(), away);
  const __mmask8 is_twice = _mm512_cmpgt_epi64_mask(shift, _mm512_set1_epi64(31));
  return _mm512_srav_epi64(_mm512_mask_add_epi64(product, is_twice, product, signed_away), shift);
}

/* As forebay_store_rescaled, rounded twice where shift > 31, for all values of which the result has
   32 bits. */
FOREBAY_AVX2_INLINE void forebay_store_scaled_i32x16(int8_t *out, forebay_i32x16 value,
                                                     forebay_i32x16 multiplier,
                                                     forebay_i32x16 shift, int32_t zero_point,
                                                     int32_t low, int32_t high) {
  const __m512i even =
      forebay_avx512_scaled(value, multiplier, _mm512_maskz_mov_epi32(0x5555, shift));
  const __m512i odd =
      forebay_avx512_scaled(_mm512_srli_epi64(value, 32), _mm512_srli_epi64(multiplier, 32),
                            _mm512_srli_epi64(shift, 32));
  const __m512i scaled = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
  const __m512i raised = _mm512_max_epi32(scaled, _mm512_set1_epi32(low - zero_point));
  const __m512i limited = _mm512_min_epi32(raised, _mm512_set1_epi32(high - zero_point));
  const __m512i result = _mm512_add_epi32(limited, _mm512_set1_epi32(zero_point));
  _mm_storeu_si128((__m128i *)(void *)out, _mm512_cvtepi32_epi8(result));
}

#else

/* Compilers take long for hundreds of copies of these loops in one function. */
#if defined __GNUC__
#define FOREBAY_AVX512_NOINLINE __attribute__((noinline, unused))
#else
#define FOREBAY_AVX512_NOINLINE
#endif

/* 64 elements in the order of memory; 16 sums; 16 factors. */
typedef struct {
  int8_t element[64];
} forebay_i8x64;
typedef struct {
  int32_t element[16];
} forebay_i32x16;
typedef struct {
  int16_t element[16];
} forebay_i16x16;

FOREBAY_AVX512_NOINLINE static forebay_i8x64 forebay_load_i8x64(const int8_t *elements) {
  forebay_i8x64 result;
  (void)memcpy(result.element, elements, sizeof result.element);
  return result;
}

static inline forebay_i32x16 forebay_load_i32x16(const int32_t *elements) {
  forebay_i32x16 result;
  (void)memcpy(result.element, elements, sizeof result.element);
  return result;
}

static inline forebay_i32x16 forebay_splat_i32x16(int32_t element) {
  forebay_i32x16 result;
  for (int32_t i = 0; i < 16; ++i) {
    result.element[i] = element;
  }
  return result;
}

static inline forebay_i16x16 forebay_splat_i16x16(int16_t element) {
  forebay_i16x16 result;
  for (int32_t i = 0; i < 16; ++i) {
    result.element[i] = element;
  }
  return result;
}

/* Elements of 8 bits, sign-extended. */
static inline forebay_i32x16 forebay_extend_i32x16(const int8_t *elements) {
  forebay_i32x16 result;
  for (int32_t i = 0; i < 16; ++i) {
    result.element[i] = elements[i];
  }
  return result;
}

static inline forebay_i16x16 forebay_extend_i16x16(const int8_t *elements) {
  forebay_i16x16 result;
  for (int32_t i = 0; i < 16; ++i) {
    result.element[i] = elements[i];
  }
  return result;
}

/* Each sum[i] + (a[i] + offset) * b[i], which wraps around; a[i] + offset has 16 bits. */
FOREBAY_AVX512_NOINLINE static forebay_i32x16 forebay_multiply_add_i32x16(forebay_i32x16 sum,
                                                                          forebay_i16x16 a,
                                                                          int32_t offset,
                                                                          forebay_i16x16 b) {
  for (int32_t i = 0; i < 16; ++i) {
    const uint32_t product = (uint32_t)((a.element[i] + offset) * b.element[i]);
    sum.element[i] = (int32_t)((uint32_t)sum.element[i] + product);
  }
  return sum;
}

/* Each sum[i] + all (a[k] + offset) * b[4 * i + k], which wraps around. */
static inline void forebay_avx512_dots(int32_t *sums, int32_t count, forebay_i8x4 a, int32_t offset,
                                       const int8_t *factors) {
  int8_t word[4];
  (void)memcpy(word, &a, sizeof word); /* A word may be a register of 16 elements. */
  for (int32_t i = 0; i < 4 * count; ++i) {
    const uint32_t product = (uint32_t)((word[i % 4] + offset) * factors[i]);
    sums[i / 4] = (int32_t)((uint32_t)sums[i / 4] + product);
  }
}

FOREBAY_AVX512_NOINLINE static forebay_i32x16
forebay_dot_each_i32x16(forebay_i32x16 sum, forebay_i8x4 a, int32_t offset, forebay_i8x64 b) {
  forebay_avx512_dots(sum.element, 16, a, offset, b.element);
  return sum;
}

FOREBAY_AVX512_NOINLINE static forebay_i32x8
forebay_dot_each_i32x8(forebay_i32x8 sum, forebay_i8x4 a, int32_t offset, forebay_i8x32 b) {
  int32_t sums[8];
  int8_t factors[32];
  FOREBAY_AVX2_PUT(sums, sum);
  FOREBAY_AVX2_PUT(factors, b);
  forebay_avx512_dots(sums, 8, a, offset, factors);
  return forebay_load_i32x8(sums);
}

/* Store each value * multiplier / 2^shift, rounded to 32 bits and once more, halves away from zero,
   plus zero_point, limited to low and high, in 8 bits: for |value| < 2^30 and 32 <= shift <= 53. */
static inline void forebay_store_rescaled_i32x16(int8_t *out, forebay_i32x16 value,
                                                 forebay_i32x16 multiplier, forebay_i32x16 shift,
                                                 int32_t zero_point, int32_t low, int32_t high) {
  for (int32_t i = 0; i < 16; i += 8) {
    forebay_store_rescaled_i32x8(&out[i], forebay_load_i32x8(&value.element[i]),
                                 forebay_load_i32x8(&multiplier.element[i]),
                                 forebay_load_i32x8(&shift.element[i]), zero_point, low, high);
  }
}

/* As forebay_store_rescaled, rounded twice where shift > 31, for all values of which the result has
   32 bits. */
static inline void forebay_store_scaled_i32x16(int8_t *out, forebay_i32x16 value,
                                               forebay_i32x16 multiplier, forebay_i32x16 shift,
                                               int32_t zero_point, int32_t low, int32_t high) {
  for (int32_t i = 0; i < 16; i += 8) {
    forebay_store_scaled_i32x8(&out[i], forebay_load_i32x8(&value.element[i]),
                               forebay_load_i32x8(&multiplier.element[i]),
                               forebay_load_i32x8(&shift.element[i]), zero_point, low, high);
  }
}

#endif

#endif /* FOREBAY_AVX512_H */
