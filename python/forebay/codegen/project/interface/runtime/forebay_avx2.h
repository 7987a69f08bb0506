/* Products of up to 32 8-bit integers at once, for C that forebay generates with --cpu x86-64-v3,
   x86-64-v4 or cascadelake.

   With AVX2 these functions are a few instructions each, and fewer with AVX-512 VNNI. With
   FOREBAY_AVX2 defined as 0, and for all other processors, they are plain C with the same results.
   FOREBAY_VNNI defined as 0 leaves VNNI out. The file is the same in every project. */
#ifndef FOREBAY_AVX2_H
#define FOREBAY_AVX2_H

#include <stdint.h>
#include <string.h>

#if !defined FOREBAY_AVX2
#if defined __AVX2__ && (defined __GNUC__ || defined __clang__)
#define FOREBAY_AVX2 1
#else
#define FOREBAY_AVX2 0
#endif
#endif

#if !defined FOREBAY_VNNI
#if defined __AVX512VNNI__ && defined __AVX512VL__
#define FOREBAY_VNNI 1
#else
#define FOREBAY_VNNI 0
#endif
#endif

#if FOREBAY_AVX2

#include <immintrin.h>

#define FOREBAY_AVX2_INLINE static inline __attribute__((always_inline))

/* 32 elements in the order of memory; 16 of them; 4 of them, and 12 that are 0. */
typedef __m256i forebay_i8x32;
typedef __m128i forebay_i8x16;
typedef __m128i forebay_i8x4;

FOREBAY_AVX2_INLINE forebay_i8x16 forebay_load_i8x16(const int8_t *elements) {
  return _mm_loadu_si128((const __m128i *)(const void *)elements);
}

FOREBAY_AVX2_INLINE forebay_i8x16 forebay_splat_i8x16(int8_t element) {
  return _mm_set1_epi8(element);
}

FOREBAY_AVX2_INLINE void forebay_store_i8x16(int8_t *elements, forebay_i8x16 a) {
  _mm_storeu_si128((__m128i *)(void *)elements, a);
}

/* The first elements only. */
FOREBAY_AVX2_INLINE void forebay_store_first_i8x16(int8_t *elements, forebay_i8x16 a,
                                                   uint32_t count) {
  (void)memcpy(elements, &a, count);
}

/* The larger element at each place, and the smaller one. */
FOREBAY_AVX2_INLINE forebay_i8x16 forebay_max_i8x16(forebay_i8x16 a, forebay_i8x16 b) {
  return _mm_max_epi8(a, b);
}

FOREBAY_AVX2_INLINE forebay_i8x16 forebay_min_i8x16(forebay_i8x16 a, forebay_i8x16 b) {
  return _mm_min_epi8(a, b);
}

/* Up to 8 elements as a number; all others are 0. */
FOREBAY_AVX2_INLINE uint64_t forebay_avx2_bytes(const int8_t *elements, uint32_t count) {
  uint64_t bytes = 0;
  uint32_t first;
  uint32_t last;
  if (count == 8) {
    memcpy(&bytes, elements, sizeof bytes);
  } else if (count >= 4) {
    memcpy(&first, elements, sizeof first);
    memcpy(&last, elements + (count - 4), sizeof last);
    bytes = first | ((uint64_t)last << (8 * (count - 4)));
  } else {
    for (uint32_t i = 0; i < count; ++i) {
      bytes |= (uint64_t)(uint8_t)elements[i] << (8 * i);
    }
  }
  return bytes;
}

/* The first elements; all others are 0. */
FOREBAY_AVX2_INLINE forebay_i8x16 forebay_load_first_i8x16(const int8_t *elements, uint32_t count) {
  if (count == 16) {
    return forebay_load_i8x16(elements);
  }
  if (count <= 8) {
    return _mm_cvtsi64_si128((long long)forebay_avx2_bytes(elements, count));
  }
  __m128i word = _mm_cvtsi64_si128((long long)forebay_avx2_bytes(elements, 8));
  int32_t four;
  int16_t two;
  if ((count & 4) != 0) {
    memcpy(&four, elements + 8, sizeof four);
    word = _mm_insert_epi32(word, four, 2);
  }
  if ((count & 2) != 0) {
    memcpy(&two, elements + (count & 12), sizeof two);
    word = (count & 4) != 0 ? _mm_insert_epi16(word, two, 6) : _mm_insert_epi16(word, two, 4);
  }
  if ((count & 1) != 0) {
    const int8_t one = elements[count - 1];
    switch (count) {
    case 9:
      return _mm_insert_epi8(word, one, 8);
    case 11:
      return _mm_insert_epi8(word, one, 10);
    case 13:
      return _mm_insert_epi8(word, one, 12);
    default:
      return _mm_insert_epi8(word, one, 14);
    }
  }
  return word;
}

FOREBAY_AVX2_INLINE forebay_i8x32 forebay_load_i8x32(const int8_t *elements) {
  return _mm256_loadu_si256((const __m256i *)(const void *)elements);
}

FOREBAY_AVX2_INLINE forebay_i8x32 forebay_load_first_i8x32(const int8_t *elements, uint32_t count) {
  const __m128i low = forebay_load_first_i8x16(elements, count < 16 ? count : 16);
  if (count <= 16) {
    return _mm256_set_m128i(_mm_setzero_si128(), low);
  }
  return _mm256_set_m128i(forebay_load_first_i8x16(elements + 16, count - 16), low);
}

FOREBAY_AVX2_INLINE forebay_i8x4 forebay_load_i8x4(const int8_t *elements) {
  int32_t bytes;
  memcpy(&bytes, elements, sizeof bytes);
  return _mm_cvtsi32_si128(bytes);
}

/* Those of 8 bytes from elements[index] on that are in [begin, end), and those of fill. */
FOREBAY_AVX2_INLINE uint64_t forebay_avx2_between(const int8_t *elements, int32_t index,
                                                  int32_t begin, int32_t end, uint64_t fill) {
  if (end <= begin) {
    return fill;
  }
  const uint32_t count = (uint32_t)(end - begin);
  const uint64_t inside = (UINT64_MAX >> (64 - 8 * count)) << (8 * begin);
  const uint64_t bytes = forebay_avx2_bytes(elements + (index + begin), count);
  return (bytes << (8 * begin)) | (fill & ~inside);
}

/* Elements of which those in [begin, end) are from elements[index] on, and all others are fill.
   elements[index] may be no element. */
FOREBAY_AVX2_INLINE forebay_i8x16 forebay_load_between_i8x16(const int8_t *elements, int32_t index,
                                                             int32_t begin, int32_t end,
                                                             int32_t fill) {
  const uint64_t all = (uint8_t)fill * UINT64_C(0x0101010101010101);
  const uint64_t low = forebay_avx2_between(elements, index, begin, end < 8 ? end : 8, all);
  const int32_t first = begin > 8 ? begin - 8 : 0;
  const uint64_t high = forebay_avx2_between(elements, index + 8, first, end - 8, all);
  return _mm_set_epi64x((long long)high, (long long)low);
}

FOREBAY_AVX2_INLINE forebay_i8x32 forebay_load_between_i8x32(const int8_t *elements, int32_t index,
                                                             int32_t begin, int32_t end,
                                                             int32_t fill) {
  const int32_t first = begin > 16 ? begin - 16 : 0;
  const __m128i low = forebay_load_between_i8x16(elements, index, begin, end < 16 ? end : 16, fill);
  const __m128i high = forebay_load_between_i8x16(elements, index + 16, first, end - 16, fill);
  return _mm256_set_m128i(high, low);
}

FOREBAY_AVX2_INLINE forebay_i8x4 forebay_load_between_i8x4(const int8_t *elements, int32_t index,
                                                           int32_t begin, int32_t end,
                                                           int32_t fill) {
  const uint64_t all = (uint8_t)fill * UINT64_C(0x01010101);
  return _mm_cvtsi64_si128((long long)forebay_avx2_between(elements, index, begin, end, all));
}

/* 8 sums; 8 factors of products that are added to these, each in 32 bits. */
typedef __m256i forebay_i32x8;
typedef __m256i forebay_i16x8;

FOREBAY_AVX2_INLINE forebay_i32x8 forebay_of_i32x8(int32_t a, int32_t b, int32_t c, int32_t d,
                                                   int32_t e, int32_t f, int32_t g, int32_t h) {
  return _mm256_setr_epi32(a, b, c, d, e, f, g, h);
}

FOREBAY_AVX2_INLINE forebay_i32x8 forebay_splat_i32x8(int32_t element) {
  return _mm256_set1_epi32(element);
}

FOREBAY_AVX2_INLINE int32_t forebay_get_i32x8(forebay_i32x8 a, int32_t lane) {
  int32_t elements[8];
  _mm256_storeu_si256((__m256i *)(void *)elements, a);
  return elements[lane];
}

FOREBAY_AVX2_INLINE forebay_i16x8 forebay_splat_i16x8(int16_t element) {
  return _mm256_set1_epi32(element);
}

FOREBAY_AVX2_INLINE forebay_i32x8 forebay_load_i32x8(const int32_t *elements) {
  return _mm256_loadu_si256((const __m256i *)(const void *)elements);
}

/* Elements of 8 bits, sign-extended. */
FOREBAY_AVX2_INLINE forebay_i32x8 forebay_extend_i32x8(const int8_t *elements) {
  return _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)elements));
}

FOREBAY_AVX2_INLINE forebay_i16x8 forebay_extend_i16x8(const int8_t *elements) {
  return forebay_extend_i32x8(elements);
}

/* Add the products of two neighbours of 16 bits to each sum. */
FOREBAY_AVX2_INLINE __m256i forebay_avx2_pairs(__m256i sum, __m256i a, __m256i b) {
#if FOREBAY_VNNI
  return _mm256_dpwssd_epi32(sum, a, b);
#else
  return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
#endif
}

/* Each sum[i] + (a[i] + offset) * b[i], which wraps around; a[i] + offset has 16 bits. */
FOREBAY_AVX2_INLINE forebay_i32x8 forebay_multiply_add_i32x8(forebay_i32x8 sum, forebay_i16x8 a,
                                                             int32_t offset, forebay_i16x8 b) {
  const __m256i moved = offset == 0 ? a : _mm256_add_epi32(a, _mm256_set1_epi32(offset));
  if (offset >= 128) { /* The upper 16 bits of each element are 0. */
    return forebay_avx2_pairs(sum, moved, b);
  }
  return _mm256_add_epi32(sum, _mm256_mullo_epi32(moved, b));
}

/* Add each (a[i] + offset) * b[i] to one of the sums, which wrap around: those of two neighbours to
   the same one. a[i] + offset has 16 bits. */
FOREBAY_AVX2_INLINE forebay_i32x8 forebay_dots_i32x8_i8x16(forebay_i32x8 sum, forebay_i8x16 a,
                                                           int32_t offset, forebay_i8x16 b) {
  const __m256i wide = _mm256_cvtepi8_epi16(a);
  const __m256i moved =
      offset == 0 ? wide : _mm256_add_epi16(wide, _mm256_set1_epi16((int16_t)offset));
  return forebay_avx2_pairs(sum, moved, _mm256_cvtepi8_epi16(b));
}

/* The same of four neighbours, in any order. */
FOREBAY_AVX2_INLINE forebay_i32x8 forebay_dots_i32x8_i8x32(forebay_i32x8 sum, forebay_i8x32 a,
                                                           int32_t offset, forebay_i8x32 b) {
#if FOREBAY_VNNI
  if (offset == 128) { /* a + offset has no sign. */
    return _mm256_dpbusd_epi32(sum, _mm256_xor_si256(a, _mm256_set1_epi8(INT8_MIN)), b);
  }
#endif
  const forebay_i32x8 low =
      forebay_dots_i32x8_i8x16(sum, _mm256_castsi256_si128(a), offset, _mm256_castsi256_si128(b));
  return forebay_dots_i32x8_i8x16(low, _mm256_extracti128_si256(a, 1), offset,
                                  _mm256_extracti128_si256(b, 1));
}

FOREBAY_AVX2_INLINE forebay_i32x8 forebay_dots_i32x8_i8x4(forebay_i32x8 sum, forebay_i8x4 a,
                                                          int32_t offset, forebay_i8x4 b) {
  return forebay_dots_i32x8_i8x16(sum, a, offset, b);
}

/* sum + all elements, which wraps around. */
FOREBAY_AVX2_INLINE int32_t forebay_total_i32x8(forebay_i32x8 sums, int32_t sum) {
  const __m128i four =
      _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
  const __m128i one = _mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1));
  return (int32_t)((uint32_t)_mm_cvtsi128_si32(one) + (uint32_t)sum);
}

/* Each start[i] + all elements of the vector with number i, which wraps around. */
FOREBAY_AVX2_INLINE forebay_i32x8 forebay_add_totals_i32x8(forebay_i32x8 start, forebay_i32x8 a,
                                                           forebay_i32x8 b, forebay_i32x8 c,
                                                           forebay_i32x8 d, forebay_i32x8 e,
                                                           forebay_i32x8 f, forebay_i32x8 g,
                                                           forebay_i32x8 h) {
  const __m256i first = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
  const __m256i last = _mm256_hadd_epi32(_mm256_hadd_epi32(e, f), _mm256_hadd_epi32(g, h));
  const __m256i low = _mm256_permute2x128_si256(first, last, 0x20);
  const __m256i high = _mm256_permute2x128_si256(first, last, 0x31);
  return _mm256_add_epi32(start, _mm256_add_epi32(low, high));
}

/* Store each value * multiplier / 2^shift, rounded to 32 bits and once more, halves away from zero,
   plus zero_point, limited to low and high, in 8 bits: for |value| < 2^30 and 32 <= shift <= 53. */
FOREBAY_AVX2_INLINE void forebay_store_rescaled_i32x8(int8_t *out, forebay_i32x8 value,
                                                      forebay_i32x8 multiplier, forebay_i32x8 shift,
                                                      int32_t zero_point, int32_t low,
                                                      int32_t high) {
  const __m256i half = _mm256_set1_epi64x(INT64_C(1) << 31);
  const __m256i twice = _mm256_add_epi32(value, value);
  const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(twice, multiplier), half);
  const __m256i odd = _mm256_add_epi64(
      _mm256_mul_epi32(_mm256_srli_epi64(twice, 32), _mm256_srli_epi64(multiplier, 32)), half);
  const __m256i product = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
  /* Halves below zero may be rounded up where a limit replaces all results below zero. */
  const __m256i down =
      zero_point <= low ? product : _mm256_add_epi32(product, _mm256_srai_epi32(product, 31));
  const __m256i bits = _mm256_sub_epi32(shift, _mm256_set1_epi32(32));
  /* The zero point is added to twice the result, before it is rounded. */
  const __m256i one = _mm256_set1_epi32(2 * zero_point + 1);
  const __m256i result = _mm256_srai_epi32(_mm256_add_epi32(_mm256_srav_epi32(down, bits), one), 1);
  __m128i narrow =
      _mm_packs_epi32(_mm256_castsi256_si128(result), _mm256_extracti128_si256(result, 1));
  narrow = _mm_packs_epi16(narrow, narrow);
  if (low > INT8_MIN) {
    narrow = _mm_max_epi8(narrow, _mm_set1_epi8((int8_t)low));
  }
  if (high < INT8_MAX) {
    narrow = _mm_min_epi8(narrow, _mm_set1_epi8((int8_t)high));
  }
  _mm_storel_epi64((__m128i *)(void *)out, narrow);
}

/* Each value * multiplier / 2^shift, rounded twice where shift > 31, of lanes of 64 bits. The upper
   halves of values and multipliers are not used. */
FOREBAY_AVX2_INLINE __m256i forebay_avx2_scaled(__m256i value, __m256i multiplier, __m256i shift) {
  const __m256i one = _mm256_set1_epi64x(1);
  const __m256i lowest = _mm256_set1_epi64x(INT64_MIN);
  const __m256i sign = _mm256_shuffle_epi32(_mm256_srai_epi32(value, 31), 0xa0);
  const __m256i away =
      _mm256_sub_epi64(_mm256_xor_si256(_mm256_set1_epi64x(INT64_C(1) << 30), sign), sign);
  const __m256i is_twice = _mm256_cmpgt_epi64(shift, _mm256_set1_epi64x(31));
  const __m256i half = _mm256_sllv_epi64(one, _mm256_sub_epi64(shift, one));
  const __m256i rounding = _mm256_add_epi64(half, _mm256_and_si256(away, is_twice));
  const __m256i product = _mm256_add_epi64(_mm256_mul_epi32(value, multiplier), rounding);
  /* A shift without sign, of a number that has 2^63 more. */
  return _mm256_sub_epi64(_mm256_srlv_epi64(_mm256_xor_si256(product, lowest), shift),
                          _mm256_srlv_epi64(lowest, shift));
}

/* As forebay_store_rescaled, rounded twice where shift > 31, for all values of which the result has
   32 bits. */
FOREBAY_AVX2_INLINE void forebay_store_scaled_i32x8(int8_t *out, forebay_i32x8 value,
                                                    forebay_i32x8 multiplier, forebay_i32x8 shift,
                                                    int32_t zero_point, int32_t low, int32_t high) {
  const __m256i even = forebay_avx2_scaled(value, multiplier,
                                           _mm256_blend_epi32(shift, _mm256_setzero_si256(), 0xaa));
  const __m256i odd =
      forebay_avx2_scaled(_mm256_srli_epi64(value, 32), _mm256_srli_epi64(multiplier, 32),
                          _mm256_srli_epi64(shift, 32));
  const __m256i scaled = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
  const __m256i raised = _mm256_max_epi32(scaled, _mm256_set1_epi32(low - zero_point));
  const __m256i limited = _mm256_min_epi32(raised, _mm256_set1_epi32(high - zero_point));
  const __m256i result = _mm256_add_epi32(limited, _mm256_set1_epi32(zero_point));
  const __m128i pairs =
      _mm_packs_epi32(_mm256_castsi256_si128(result), _mm256_extracti128_si256(result, 1));
  _mm_storel_epi64((__m128i *)(void *)out, _mm_packs_epi16(pairs, pairs));
}

#define FOREBAY_AVX2_PUT(elements, value)                                                          \
  _mm256_storeu_si256((__m256i *)(void *)(elements), (value))

#else

/* 32 elements in the order of memory; 16 of them; 4 of them. */
typedef struct {
  int8_t element[32];
} forebay_i8x32;
typedef struct {
  int8_t element[16];
} forebay_i8x16;
typedef struct {
  int8_t element[4];
} forebay_i8x4;

/* The first elements; all others are 0. */
static inline forebay_i8x16 forebay_load_first_i8x16(const int8_t *elements, uint32_t count) {
  forebay_i8x16 result = {{0}};
  (void)memcpy(result.element, elements, count);
  return result;
}

static inline forebay_i8x32 forebay_load_first_i8x32(const int8_t *elements, uint32_t count) {
  forebay_i8x32 result = {{0}};
  (void)memcpy(result.element, elements, count);
  return result;
}

static inline forebay_i8x32 forebay_load_i8x32(const int8_t *elements) {
  return forebay_load_first_i8x32(elements, 32);
}

static inline forebay_i8x16 forebay_load_i8x16(const int8_t *elements) {
  return forebay_load_first_i8x16(elements, 16);
}

static inline forebay_i8x16 forebay_splat_i8x16(int8_t element) {
  forebay_i8x16 result;
  (void)memset(result.element, element, sizeof result.element);
  return result;
}

static inline void forebay_store_i8x16(int8_t *elements, forebay_i8x16 a) {
  (void)memcpy(elements, a.element, sizeof a.element);
}

/* The first elements only. */
static inline void forebay_store_first_i8x16(int8_t *elements, forebay_i8x16 a, uint32_t count) {
  (void)memcpy(elements, a.element, count);
}

/* The larger element at each place, and the smaller one. */
static inline forebay_i8x16 forebay_max_i8x16(forebay_i8x16 a, forebay_i8x16 b) {
  for (int32_t i = 0; i < 16; ++i) {
    a.element[i] = a.element[i] > b.element[i] ? a.element[i] : b.element[i];
  }
  return a;
}

static inline forebay_i8x16 forebay_min_i8x16(forebay_i8x16 a, forebay_i8x16 b) {
  for (int32_t i = 0; i < 16; ++i) {
    a.element[i] = a.element[i] < b.element[i] ? a.element[i] : b.element[i];
  }
  return a;
}

static inline forebay_i8x4 forebay_load_i8x4(const int8_t *elements) {
  forebay_i8x4 result;
  (void)memcpy(result.element, elements, sizeof result.element);
  return result;
}

/* Elements of which those in [begin, end) are from elements[index] on, and all others are fill.
   elements[index] may be no element. */
static inline forebay_i8x16 forebay_load_between_i8x16(const int8_t *elements, int32_t index,
                                                       int32_t begin, int32_t end, int32_t fill) {
  forebay_i8x16 result;
  for (int32_t i = 0; i < 16; ++i) {
    result.element[i] = i >= begin && i < end ? elements[index + i] : (int8_t)fill;
  }
  return result;
}

static inline forebay_i8x32 forebay_load_between_i8x32(const int8_t *elements, int32_t index,
                                                       int32_t begin, int32_t end, int32_t fill) {
  forebay_i8x32 result;
  for (int32_t i = 0; i < 32; ++i) {
    result.element[i] = i >= begin && i < end ? elements[index + i] : (int8_t)fill;
  }
  return result;
}

static inline forebay_i8x4 forebay_load_between_i8x4(const int8_t *elements, int32_t index,
                                                     int32_t begin, int32_t end, int32_t fill) {
  forebay_i8x4 result;
  for (int32_t i = 0; i < 4; ++i) {
    result.element[i] = i >= begin && i < end ? elements[index + i] : (int8_t)fill;
  }
  return result;
}

/* 8 sums; 8 factors. */
typedef struct {
  int32_t element[8];
} forebay_i32x8;
typedef struct {
  int16_t element[8];
} forebay_i16x8;

static inline forebay_i32x8 forebay_of_i32x8(int32_t a, int32_t b, int32_t c, int32_t d, int32_t e,
                                             int32_t f, int32_t g, int32_t h) {
  const forebay_i32x8 result = {{a, b, c, d, e, f, g, h}};
  return result;
}

static inline forebay_i32x8 forebay_splat_i32x8(int32_t element) {
  return forebay_of_i32x8(element, element, element, element, element, element, element, element);
}

static inline int32_t forebay_get_i32x8(forebay_i32x8 a, int32_t lane) { return a.element[lane]; }

static inline forebay_i16x8 forebay_splat_i16x8(int16_t element) {
  const forebay_i16x8 result = {
      {element, element, element, element, element, element, element, element}};
  return result;
}

static inline forebay_i32x8 forebay_load_i32x8(const int32_t *elements) {
  forebay_i32x8 result;
  (void)memcpy(result.element, elements, sizeof result.element);
  return result;
}

/* Elements of 8 bits, sign-extended. */
static inline forebay_i32x8 forebay_extend_i32x8(const int8_t *elements) {
  forebay_i32x8 result;
  for (int32_t i = 0; i < 8; ++i) {
    result.element[i] = elements[i];
  }
  return result;
}

static inline forebay_i16x8 forebay_extend_i16x8(const int8_t *elements) {
  forebay_i16x8 result;
  for (int32_t i = 0; i < 8; ++i) {
    result.element[i] = elements[i];
  }
  return result;
}

/* Each sum[i] + (a[i] + offset) * b[i], which wraps around; a[i] + offset has 16 bits. */
static inline forebay_i32x8 forebay_multiply_add_i32x8(forebay_i32x8 sum, forebay_i16x8 a,
                                                       int32_t offset, forebay_i16x8 b) {
  for (int32_t i = 0; i < 8; ++i) {
    const uint32_t product = (uint32_t)((a.element[i] + offset) * b.element[i]);
    sum.element[i] = (int32_t)((uint32_t)sum.element[i] + product);
  }
  return sum;
}

/* Add each (a[i] + offset) * b[i] to one of the sums, which wrap around: those of two neighbours to
   the same one. */
static inline forebay_i32x8 forebay_dots_i32x8_i8x16(forebay_i32x8 sum, forebay_i8x16 a,
                                                     int32_t offset, forebay_i8x16 b) {
  for (int32_t i = 0; i < 16; ++i) {
    const uint32_t product = (uint32_t)((a.element[i] + offset) * b.element[i]);
    sum.element[i / 2] = (int32_t)((uint32_t)sum.element[i / 2] + product);
  }
  return sum;
}

/* The same of four neighbours. */
static inline forebay_i32x8 forebay_dots_i32x8_i8x32(forebay_i32x8 sum, forebay_i8x32 a,
                                                     int32_t offset, forebay_i8x32 b) {
  for (int32_t i = 0; i < 32; ++i) {
    const uint32_t product = (uint32_t)((a.element[i] + offset) * b.element[i]);
    sum.element[i / 4] = (int32_t)((uint32_t)sum.element[i / 4] + product);
  }
  return sum;
}

static inline forebay_i32x8 forebay_dots_i32x8_i8x4(forebay_i32x8 sum, forebay_i8x4 a,
                                                    int32_t offset, forebay_i8x4 b) {
  for (int32_t i = 0; i < 4; ++i) {
    const uint32_t product = (uint32_t)((a.element[i] + offset) * b.element[i]);
    sum.element[i / 2] = (int32_t)((uint32_t)sum.element[i / 2] + product);
  }
  return sum;
}

/* sum + all elements, which wraps around. */
static inline int32_t forebay_total_i32x8(forebay_i32x8 sums, int32_t sum) {
  for (int32_t i = 0; i < 8; ++i) {
    sum = (int32_t)((uint32_t)sum + (uint32_t)sums.element[i]);
  }
  return sum;
}

/* Each start[i] + all elements of the vector with number i, which wraps around. */
static inline forebay_i32x8 forebay_add_totals_i32x8(forebay_i32x8 start, forebay_i32x8 a,
                                                     forebay_i32x8 b, forebay_i32x8 c,
                                                     forebay_i32x8 d, forebay_i32x8 e,
                                                     forebay_i32x8 f, forebay_i32x8 g,
                                                     forebay_i32x8 h) {
  return forebay_of_i32x8(
      forebay_total_i32x8(a, start.element[0]), forebay_total_i32x8(b, start.element[1]),
      forebay_total_i32x8(c, start.element[2]), forebay_total_i32x8(d, start.element[3]),
      forebay_total_i32x8(e, start.element[4]), forebay_total_i32x8(f, start.element[5]),
      forebay_total_i32x8(g, start.element[6]), forebay_total_i32x8(h, start.element[7]));
}

/* Store each value * multiplier / 2^shift, rounded to 32 bits and once more, halves away from zero,
   plus zero_point, limited to low and high, in 8 bits: for |value| < 2^30 and 32 <= shift <= 53. */
static inline void forebay_store_rescaled_i32x8(int8_t *out, forebay_i32x8 value,
                                                forebay_i32x8 multiplier, forebay_i32x8 shift,
                                                int32_t zero_point, int32_t low, int32_t high) {
  for (int32_t i = 0; i < 8; ++i) {
    const int64_t product =
        (int64_t)(value.element[i] * 2) * multiplier.element[i] + ((int64_t)1 << 31);
    const int32_t rounded = (int32_t)(product >> 32);
    const int32_t down = (rounded + (rounded >> 31)) >> (shift.element[i] - 32);
    const int32_t result = ((down + 1) >> 1) + zero_point;
    out[i] = (int8_t)(result < low ? low : (result > high ? high : result));
  }
}

/* As forebay_store_rescaled, rounded twice where shift > 31, for all values of which the result has
   32 bits. */
static inline void forebay_store_scaled_i32x8(int8_t *out, forebay_i32x8 value,
                                              forebay_i32x8 multiplier, forebay_i32x8 shift,
                                              int32_t zero_point, int32_t low, int32_t high) {
  for (int32_t i = 0; i < 8; ++i) {
    int64_t rounding = (int64_t)1 << (shift.element[i] - 1);
    if (shift.element[i] > 31) {
      rounding += value.element[i] >= 0 ? (1 << 30) : -(1 << 30);
    }
    const int64_t product = (int64_t)value.element[i] * multiplier.element[i];
    const int64_t scaled = ((product + rounding) >> shift.element[i]) + zero_point;
    out[i] = (int8_t)(scaled < low ? low : (scaled > high ? high : scaled));
  }
}

#define FOREBAY_AVX2_PUT(elements, value)                                                          \
  (void)memcpy((elements), (value).element, sizeof(value).element)

#endif

#endif /* FOREBAY_AVX2_H */
