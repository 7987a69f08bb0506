/* Products of four 8-bit integers at once, for C that forebay generates with --cpu cortex-m4.

   With the DSP extension of Armv7E-M and Armv8-M these functions are a few instructions each. With
   FOREBAY_DSP defined as 0, and for all other processors, they are plain C with the same results.
   The file is the same in every project. */
#ifndef FOREBAY_DSP_H
#define FOREBAY_DSP_H

#include <stdint.h>

#if !defined FOREBAY_DSP
#if defined __ARM_FEATURE_SIMD32 && !defined __ARM_BIG_ENDIAN &&                                   \
    (defined __GNUC__ || defined __clang__)
#define FOREBAY_DSP 1
#else
#define FOREBAY_DSP 0
#endif
#endif

#if !defined FOREBAY_MVE
#if defined __ARM_FEATURE_MVE && !defined __ARM_BIG_ENDIAN
#define FOREBAY_MVE 1
#else
#define FOREBAY_MVE 0
#endif
#endif

/* Four elements in the order of memory. */
#if FOREBAY_DSP && FOREBAY_MVE
#include <arm_mve.h>
typedef int32x4_t forebay_i8x4;
#else
typedef uint32_t forebay_i8x4;
#endif

#if FOREBAY_DSP

#define FOREBAY_DSP_INLINE static inline __attribute__((always_inline))

#if FOREBAY_MVE

/* Four times the same element. */
FOREBAY_DSP_INLINE forebay_i8x4 forebay_splat_i8x4(int8_t element) { return vdupq_n_s32(element); }

FOREBAY_DSP_INLINE forebay_i8x4 forebay_load_i8x4(const int8_t *elements) {
  return vldrbq_s32(elements);
}

FOREBAY_DSP_INLINE void forebay_store_i8x4(int8_t *elements, forebay_i8x4 a) {
  vstrbq_s32(elements, a);
}

/* The larger element at each place, and the smaller one. */
FOREBAY_DSP_INLINE forebay_i8x4 forebay_max_i8x4(forebay_i8x4 a, forebay_i8x4 b) {
  return vmaxq_s32(a, b);
}

FOREBAY_DSP_INLINE forebay_i8x4 forebay_min_i8x4(forebay_i8x4 a, forebay_i8x4 b) {
  return vminq_s32(a, b);
}

/* The elements at index + i with begin <= i < end <= 4; all others are fill. */
FOREBAY_DSP_INLINE forebay_i8x4 forebay_load_between_i8x4(const int8_t *elements, int32_t index,
                                                          int32_t begin, int32_t end,
                                                          int32_t fill) {
  const int32_t last = end > begin ? end : begin;
  const mve_pred16_t inside =
      (mve_pred16_t)((UINT32_C(1) << (4 * last)) - (UINT32_C(1) << (4 * begin)));
  const int8_t *const first = (const int8_t *)((uintptr_t)elements + (uint32_t)index);
  return vpselq_s32(vldrbq_z_s32(first, inside), vdupq_n_s32(fill), inside);
}

/* sum + all (a[i] + offset) * b[i], which wraps around. */
FOREBAY_DSP_INLINE int32_t forebay_dot_i8x4(int32_t sum, forebay_i8x4 a, int32_t offset,
                                            forebay_i8x4 b) {
  return vmladavaq_s32(sum, offset == 0 ? a : vaddq_n_s32(a, offset), b);
}

/* sum + (a[lane] + offset) * b[lane], which wraps around. */
FOREBAY_DSP_INLINE int32_t forebay_lane_i8x4(int32_t sum, forebay_i8x4 a, int32_t offset,
                                             forebay_i8x4 b, int32_t lane) {
  const uint32_t one = (uint32_t)(a[lane] + offset);
  return (int32_t)((uint32_t)sum + one * (uint32_t)b[lane]);
}

#else

/* (Elements 0 and 2) + offset, in 16 bits each; GCC 12 has no intrinsic for a rotated operand. */
FOREBAY_DSP_INLINE uint32_t forebay_dsp_even(forebay_i8x4 elements, int32_t offset) {
  uint32_t pair;
  if (offset == 0) {
    __asm__("sxtb16 %0, %1" : "=r"(pair) : "r"(elements));
  } else {
    const uint32_t offsets = ((uint32_t)offset & UINT32_C(0xffff)) * UINT32_C(0x10001);
    __asm__("sxtab16 %0, %1, %2" : "=r"(pair) : "r"(offsets), "r"(elements));
  }
  return pair;
}

/* (Elements 1 and 3) + offset. */
FOREBAY_DSP_INLINE uint32_t forebay_dsp_odd(forebay_i8x4 elements, int32_t offset) {
  uint32_t pair;
  if (offset == 0) {
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(pair) : "r"(elements));
  } else {
    const uint32_t offsets = ((uint32_t)offset & UINT32_C(0xffff)) * UINT32_C(0x10001);
    __asm__("sxtab16 %0, %1, %2, ror #8" : "=r"(pair) : "r"(offsets), "r"(elements));
  }
  return pair;
}

/* Four times the same element. */
FOREBAY_DSP_INLINE forebay_i8x4 forebay_splat_i8x4(int8_t element) {
  return (uint32_t)(uint8_t)element * UINT32_C(0x01010101);
}

FOREBAY_DSP_INLINE forebay_i8x4 forebay_load_i8x4(const int8_t *elements) {
  forebay_i8x4 word;
  __builtin_memcpy(&word, elements, sizeof word);
  return word;
}

FOREBAY_DSP_INLINE void forebay_store_i8x4(int8_t *elements, forebay_i8x4 a) {
  __builtin_memcpy(elements, &a, sizeof a);
}

/* The larger element at each place, and the smaller one: `ssub8` sets a flag for each place, by
   which `sel` chooses. */
FOREBAY_DSP_INLINE forebay_i8x4 forebay_max_i8x4(forebay_i8x4 a, forebay_i8x4 b) {
  uint32_t larger;
  __asm__("ssub8 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(larger) : "r"(a), "r"(b) : "cc");
  return larger;
}

FOREBAY_DSP_INLINE forebay_i8x4 forebay_min_i8x4(forebay_i8x4 a, forebay_i8x4 b) {
  uint32_t smaller;
  __asm__("ssub8 %0, %1, %2\n\tsel %0, %2, %1" : "=&r"(smaller) : "r"(a), "r"(b) : "cc");
  return smaller;
}

/* The elements at index + i with begin <= i < end <= 4; all others are fill. */
FOREBAY_DSP_INLINE forebay_i8x4 forebay_load_between_i8x4(const int8_t *elements, int32_t index,
                                                          int32_t begin, int32_t end,
                                                          int32_t fill) {
  forebay_i8x4 word = 0;
  for (int32_t i = 3; i >= 0; --i) {
    const int32_t element = i >= begin && i < end ? elements[index + i] : fill;
    word = (word << 8) | (uint8_t)element;
  }
  return word;
}

/* sum + all (a[i] + offset) * b[i], which wraps around. */
FOREBAY_DSP_INLINE int32_t forebay_dot_i8x4(int32_t sum, forebay_i8x4 a, int32_t offset,
                                            forebay_i8x4 b) {
  __asm__("smlad %0, %1, %2, %0"
          : "+r"(sum)
          : "r"(forebay_dsp_even(a, offset)), "r"(forebay_dsp_even(b, 0)));
  __asm__("smlad %0, %1, %2, %0"
          : "+r"(sum)
          : "r"(forebay_dsp_odd(a, offset)), "r"(forebay_dsp_odd(b, 0)));
  return sum;
}

/* sum + (a[lane] + offset) * b[lane], which wraps around. */
FOREBAY_DSP_INLINE int32_t forebay_lane_i8x4(int32_t sum, forebay_i8x4 a, int32_t offset,
                                             forebay_i8x4 b, int32_t lane) {
  const int is_odd = (lane & 1) != 0;
  const uint32_t one = is_odd ? forebay_dsp_odd(a, offset) : forebay_dsp_even(a, offset);
  const uint32_t other = is_odd ? forebay_dsp_odd(b, 0) : forebay_dsp_even(b, 0);
  if (lane < 2) {
    __asm__("smlabb %0, %1, %2, %0" : "+r"(sum) : "r"(one), "r"(other));
  } else {
    __asm__("smlatt %0, %1, %2, %0" : "+r"(sum) : "r"(one), "r"(other));
  }
  return sum;
}

#endif

/* value * multiplier / 2^shift, rounded to 32 bits and once more, halves away from zero, plus
   zero_point: for |value| < 2^30, 32 <= shift <= 53 and a zero point of 8 bits. */
FOREBAY_DSP_INLINE int32_t forebay_rescale_i32(int32_t value, int32_t multiplier, int32_t shift,
                                               int32_t zero_point) {
  const int32_t half = (2 * zero_point + 1) * (int32_t)(UINT32_C(1) << (shift - 32));
  int32_t high;
  __asm__("smmulr %0, %1, %2" : "=r"(high) : "r"(value * 2), "r"(multiplier));
  return (high + (high >> 31) + half) >> (shift - 31);
}

/* As forebay_rescale_i32, but halves below zero are rounded up: for results below zero_point that a
   limit replaces. */
FOREBAY_DSP_INLINE int32_t forebay_rescale_limited_i32(int32_t value, int32_t multiplier,
                                                       int32_t shift, int32_t zero_point) {
  const int32_t half = (2 * zero_point + 1) * (int32_t)(UINT32_C(1) << (shift - 32));
  int32_t high;
  __asm__("smmulr %0, %1, %2" : "=r"(high) : "r"(value * 2), "r"(multiplier));
  return (high + half) >> (shift - 31);
}

FOREBAY_DSP_INLINE int32_t forebay_saturate_i8(int32_t value) {
  int32_t result;
  __asm__("ssat %0, #8, %1" : "=r"(result) : "r"(value));
  return result;
}

#else

#include <string.h>

/* Four times the same element. */
static inline forebay_i8x4 forebay_splat_i8x4(int8_t element) {
  return (uint32_t)(uint8_t)element * UINT32_C(0x01010101);
}

static inline forebay_i8x4 forebay_load_i8x4(const int8_t *elements) {
  forebay_i8x4 word;
  (void)memcpy(&word, elements, sizeof word);
  return word;
}

static inline void forebay_store_i8x4(int8_t *elements, forebay_i8x4 a) {
  (void)memcpy(elements, &a, sizeof a);
}

/* The larger element at each place, and the smaller one: with its sign inverted, an element is a
   number without sign in the same order. */
static inline forebay_i8x4 forebay_max_i8x4(forebay_i8x4 a, forebay_i8x4 b) {
  uint32_t larger = 0;
  for (int32_t i = 0; i < 32; i += 8) {
    const uint32_t first = (a >> i) & 0xff;
    const uint32_t second = (b >> i) & 0xff;
    larger |= ((first ^ 0x80) > (second ^ 0x80) ? first : second) << i;
  }
  return larger;
}

static inline forebay_i8x4 forebay_min_i8x4(forebay_i8x4 a, forebay_i8x4 b) {
  uint32_t smaller = 0;
  for (int32_t i = 0; i < 32; i += 8) {
    const uint32_t first = (a >> i) & 0xff;
    const uint32_t second = (b >> i) & 0xff;
    smaller |= ((first ^ 0x80) < (second ^ 0x80) ? first : second) << i;
  }
  return smaller;
}

/* The elements at index + i with begin <= i < end <= 4; all others are fill. */
static inline forebay_i8x4 forebay_load_between_i8x4(const int8_t *elements, int32_t index,
                                                     int32_t begin, int32_t end, int32_t fill) {
  int8_t bytes[4];
  forebay_i8x4 word;
  for (int32_t i = 0; i < 4; ++i) {
    bytes[i] = i >= begin && i < end ? elements[index + i] : (int8_t)fill;
  }
  (void)memcpy(&word, bytes, sizeof word);
  return word;
}

/* sum + (a[lane] + offset) * b[lane], which wraps around. */
static inline int32_t forebay_lane_i8x4(int32_t sum, forebay_i8x4 a, int32_t offset, forebay_i8x4 b,
                                        int32_t lane) {
  int8_t one[4];
  int8_t other[4];
  (void)memcpy(one, &a, sizeof one);
  (void)memcpy(other, &b, sizeof other);
  return (int32_t)((uint32_t)sum + (uint32_t)((one[lane] + offset) * other[lane]));
}

/* sum + all (a[i] + offset) * b[i], which wraps around. */
static inline int32_t forebay_dot_i8x4(int32_t sum, forebay_i8x4 a, int32_t offset,
                                       forebay_i8x4 b) {
  for (int32_t lane = 0; lane < 4; ++lane) {
    sum = forebay_lane_i8x4(sum, a, offset, b, lane);
  }
  return sum;
}

/* value * multiplier / 2^shift, rounded to 32 bits and once more, halves away from zero, plus
   zero_point: for |value| < 2^30, 32 <= shift <= 53 and a zero point of 8 bits. */
static inline int32_t forebay_rescale_i32(int32_t value, int32_t multiplier, int32_t shift,
                                          int32_t zero_point) {
  const int64_t product = (int64_t)(value * 2) * multiplier + ((int64_t)1 << 31);
  const int32_t high = (int32_t)(product >> 32);
  return ((((high + (high >> 31)) >> (shift - 32)) + 1) >> 1) + zero_point;
}

/* As forebay_rescale_i32, but halves below zero are rounded up: for results below zero_point that a
   limit replaces. */
static inline int32_t forebay_rescale_limited_i32(int32_t value, int32_t multiplier, int32_t shift,
                                                  int32_t zero_point) {
  const int64_t product = (int64_t)(value * 2) * multiplier + ((int64_t)1 << 31);
  const int32_t high = (int32_t)(product >> 32);
  return (((high >> (shift - 32)) + 1) >> 1) + zero_point;
}

static inline int32_t forebay_saturate_i8(int32_t value) {
  return value < -128 ? -128 : (value > 127 ? 127 : value);
}

#endif

#endif /* FOREBAY_DSP_H */
