/* Products of up to 16 8-bit integers at once, and requantisation of 4 or 8 sums at once, for C that
   forebay generates with --cpu cortex-m55.

   With the vector extension of Armv8.1-M (MVE, Helium) these functions are a few instructions each.
   With FOREBAY_MVE defined as 0, and for all other processors, they are plain C with the same
   results. The file is the same in every project. */
#ifndef FOREBAY_MVE_H
#define FOREBAY_MVE_H

#include <stdint.h>

#if !defined FOREBAY_MVE
#if defined __ARM_FEATURE_MVE && !defined __ARM_BIG_ENDIAN
#define FOREBAY_MVE 1
#else
#define FOREBAY_MVE 0
#endif
#endif

#if FOREBAY_MVE

#include <arm_mve.h>
#include <string.h>

#define FOREBAY_MVE_INLINE static inline __attribute__((always_inline))

/* 16 elements in the order of memory. */
typedef int8x16_t forebay_i8x16;

FOREBAY_MVE_INLINE forebay_i8x16 forebay_load_i8x16(const int8_t *elements) {
  return vldrbq_s8(elements);
}

FOREBAY_MVE_INLINE void forebay_store_i8x16(int8_t *elements, forebay_i8x16 a) {
  vstrbq_s8(elements, a);
}

/* The first elements only. There is a store with a predicate, but GCC 12 assumes that it writes all
   elements, and leaves out stores to these before it. */
FOREBAY_MVE_INLINE void forebay_store_first_i8x16(int8_t *elements, forebay_i8x16 a,
                                                  uint32_t count) {
  int8_t bytes[16];
  vstrbq_s8(bytes, a);
  (void)memcpy(elements, bytes, count);
}

/* The larger element at each place, and the smaller one. */
FOREBAY_MVE_INLINE forebay_i8x16 forebay_max_i8x16(forebay_i8x16 a, forebay_i8x16 b) {
  return vmaxq_s8(a, b);
}

FOREBAY_MVE_INLINE forebay_i8x16 forebay_min_i8x16(forebay_i8x16 a, forebay_i8x16 b) {
  return vminq_s8(a, b);
}

FOREBAY_MVE_INLINE forebay_i8x16 forebay_splat_i8x16(int8_t element) { return vdupq_n_s8(element); }

/* The first elements; all others are 0. */
FOREBAY_MVE_INLINE forebay_i8x16 forebay_load_first_i8x16(const int8_t *elements, uint32_t count) {
  return vldrbq_z_s8(elements, vctp8q(count));
}

/* The elements at index + i with begin <= i < end <= 16; all others are fill. */
FOREBAY_MVE_INLINE forebay_i8x16 forebay_load_between_i8x16(const int8_t *elements, int32_t index,
                                                            int32_t begin, int32_t end,
                                                            int32_t fill) {
  const int32_t last = end > begin ? end : begin;
  const mve_pred16_t inside = (mve_pred16_t)((UINT32_C(1) << last) - (UINT32_C(1) << begin));
  const int8_t *const first = (const int8_t *)((uintptr_t)elements + (uint32_t)index);
  return vpselq_s8(vldrbq_z_s8(first, inside), vdupq_n_s8((int8_t)fill), inside);
}

/* sum + all (a[i] + offset) * b[i], which wraps around. */
FOREBAY_MVE_INLINE int32_t forebay_dot_i8x16(int32_t sum, forebay_i8x16 a, int32_t offset,
                                             forebay_i8x16 b) {
  sum = vmladavaq_s8(sum, a, b);
  return offset == 0 ? sum : (int32_t)((uint32_t)sum + (uint32_t)(offset * vaddvq_s8(b)));
}

/* 4 sums; 8 factors; 8 sums, the even ones and the odd ones. */
typedef int32x4_t forebay_i32x4;
typedef int16x8_t forebay_i16x8;
typedef int32x4x2_t forebay_i32x8;

FOREBAY_MVE_INLINE forebay_i32x4 forebay_of_i32x4(int32_t a, int32_t b, int32_t c, int32_t d) {
  forebay_i32x4 result;
  __asm__("vmov %q0[2], %q0[0], %1, %2" : "=t"(result) : "r"(a), "r"(c));
  __asm__("vmov %q0[3], %q0[1], %1, %2" : "+t"(result) : "r"(b), "r"(d));
  return result;
}

FOREBAY_MVE_INLINE forebay_i32x4 forebay_splat_i32x4(int32_t element) {
  return vdupq_n_s32(element);
}

FOREBAY_MVE_INLINE int32_t forebay_get_i32x4(forebay_i32x4 a, int32_t lane) { return a[lane]; }

FOREBAY_MVE_INLINE forebay_i32x8 forebay_splat_i32x8(int32_t element) {
  forebay_i32x8 result;
  result.val[0] = vdupq_n_s32(element);
  result.val[1] = vdupq_n_s32(element);
  return result;
}

FOREBAY_MVE_INLINE forebay_i16x8 forebay_splat_i16x8(int16_t element) {
  return vdupq_n_s16(element);
}

FOREBAY_MVE_INLINE forebay_i32x4 forebay_load_i32x4(const int32_t *elements) {
  return vldrwq_s32(elements);
}

FOREBAY_MVE_INLINE forebay_i32x8 forebay_load_i32x8(const int32_t *elements) {
  return vld2q_s32(elements);
}

/* Elements of 8 bits, sign-extended. */
FOREBAY_MVE_INLINE forebay_i32x4 forebay_extend_i32x4(const int8_t *elements) {
  return vldrbq_s32(elements);
}

FOREBAY_MVE_INLINE forebay_i16x8 forebay_extend_i16x8(const int8_t *elements) {
  return vldrbq_s16(elements);
}

FOREBAY_MVE_INLINE forebay_i32x8 forebay_extend_i32x8(const int8_t *elements) {
  const forebay_i16x8 extended = vldrbq_s16(elements);
  forebay_i32x8 result;
  result.val[0] = vmovlbq_s16(extended);
  result.val[1] = vmovltq_s16(extended);
  return result;
}

/* Each sum[i] + (a[i] + offset) * b[i], which wraps around; a[i] + offset has 16 bits. */
FOREBAY_MVE_INLINE forebay_i32x8 forebay_multiply_add_i32x8(forebay_i32x8 sum, forebay_i16x8 a,
                                                            int32_t offset, forebay_i16x8 b) {
  const forebay_i16x8 moved = offset == 0 ? a : vaddq_n_s16(a, (int16_t)offset);
  sum.val[0] = vaddq_s32(sum.val[0], vmullbq_int_s16(moved, b));
  sum.val[1] = vaddq_s32(sum.val[1], vmulltq_int_s16(moved, b));
  return sum;
}

/* Sums, differences and products of each lane, which wrap around. */
FOREBAY_MVE_INLINE forebay_i32x4 forebay_add_i32x4(forebay_i32x4 a, forebay_i32x4 b) {
  return vaddq_s32(a, b);
}

FOREBAY_MVE_INLINE forebay_i32x4 forebay_subtract_i32x4(forebay_i32x4 a, forebay_i32x4 b) {
  return vsubq_s32(a, b);
}

FOREBAY_MVE_INLINE forebay_i32x4 forebay_multiply_i32x4(forebay_i32x4 a, forebay_i32x4 b) {
  return vmulq_s32(a, b);
}

/* The same with one number for all lanes. */
FOREBAY_MVE_INLINE forebay_i32x4 forebay_add_each_i32x4(forebay_i32x4 a, int32_t b) {
  return vaddq_n_s32(a, b);
}

FOREBAY_MVE_INLINE forebay_i32x4 forebay_multiply_each_i32x4(forebay_i32x4 a, int32_t b) {
  return vmulq_n_s32(a, b);
}

/* Each value * multiplier / 2^shift, rounded to 32 bits and once more, halves away from zero: for
   |value| < 2^30 and 32 <= shift <= 53. */
FOREBAY_MVE_INLINE forebay_i32x4 forebay_rescale_i32x4(forebay_i32x4 value, int32_t multiplier,
                                                       int32_t shift) {
  const int32x4_t high = vqrdmulhq_n_s32(value, multiplier);
  return vrshlq_n_s32(vaddq_s32(high, vshrq_n_s32(high, 31)), 31 - shift);
}

/* Each value * multiplier / 2^shift, rounded to 32 bits and once more, halves away from zero: for
   |value| < 2^30 and 32 <= shift <= 53. With is_limited set, halves below zero are rounded up: for
   results below zero that a limit replaces. */
FOREBAY_MVE_INLINE int32x4_t forebay_mve_rescaled(int32x4_t value, int32x4_t multiplier,
                                                  int32x4_t shift, int is_limited) {
  const int32x4_t high = vqrdmulhq_s32(value, multiplier);
  const int32x4_t down = is_limited ? high : vaddq_s32(high, vshrq_n_s32(high, 31));
  return vrshlq_s32(down, vsubq_s32(vdupq_n_s32(31), shift));
}

/* Store each rescaled value plus zero_point, limited to low and high, in 8 bits. */
FOREBAY_MVE_INLINE void forebay_store_rescaled_i32x4(int8_t *out, forebay_i32x4 value,
                                                     forebay_i32x4 multiplier, forebay_i32x4 shift,
                                                     int32_t zero_point, int32_t low,
                                                     int32_t high) {
  const int32x4_t rescaled = forebay_mve_rescaled(value, multiplier, shift, zero_point <= low);
  int32x4_t result = vaddq_n_s32(rescaled, zero_point);
  result = vminq_s32(vmaxq_s32(result, vdupq_n_s32(low)), vdupq_n_s32(high));
  vstrbq_s32(out, result);
}

FOREBAY_MVE_INLINE void forebay_store_rescaled_i32x8(int8_t *out, forebay_i32x8 value,
                                                     forebay_i32x8 multiplier, forebay_i32x8 shift,
                                                     int32_t zero_point, int32_t low,
                                                     int32_t high) {
  const int is_limited = zero_point <= low;
  const int32x4_t even =
      forebay_mve_rescaled(value.val[0], multiplier.val[0], shift.val[0], is_limited);
  const int32x4_t odd =
      forebay_mve_rescaled(value.val[1], multiplier.val[1], shift.val[1], is_limited);
  int16x8_t result = vqmovnbq_s32(vreinterpretq_s16_s32(even), even);
  result = vqaddq_n_s16(vqmovntq_s32(result, odd), (int16_t)zero_point);
  result = vmaxq_s16(result, vdupq_n_s16((int16_t)low));
  vstrbq_s16(out, vminq_s16(result, vdupq_n_s16((int16_t)high)));
}

#define FOREBAY_MVE_GET_I32X4(value, elements) ((value) = vldrwq_s32((elements)))
#define FOREBAY_MVE_PUT_I32X4(elements, value) vstrwq_s32((elements), (value))
#define FOREBAY_MVE_PUT_I32X8(elements, value) vst2q_s32((elements), (value))

#else

#include <string.h>

/* 16 elements in the order of memory. */
typedef struct {
  int8_t element[16];
} forebay_i8x16;

/* The first elements; all others are 0. */
static inline forebay_i8x16 forebay_load_first_i8x16(const int8_t *elements, uint32_t count) {
  forebay_i8x16 result = {{0}};
  (void)memcpy(result.element, elements, count);
  return result;
}

static inline forebay_i8x16 forebay_splat_i8x16(int8_t element) {
  forebay_i8x16 result;
  (void)memset(result.element, element, sizeof result.element);
  return result;
}

/* The elements at index + i with begin <= i < end <= 16; all others are fill. */
static inline forebay_i8x16 forebay_load_between_i8x16(const int8_t *elements, int32_t index,
                                                       int32_t begin, int32_t end, int32_t fill) {
  forebay_i8x16 result = forebay_splat_i8x16((int8_t)fill);
  for (int32_t i = begin; i < end; ++i) {
    result.element[i] = elements[index + i];
  }
  return result;
}

static inline forebay_i8x16 forebay_load_i8x16(const int8_t *elements) {
  return forebay_load_first_i8x16(elements, 16);
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

/* sum + all (a[i] + offset) * b[i], which wraps around. */
static inline int32_t forebay_dot_i8x16(int32_t sum, forebay_i8x16 a, int32_t offset,
                                        forebay_i8x16 b) {
  for (int32_t i = 0; i < 16; ++i) {
    sum = (int32_t)((uint32_t)sum + (uint32_t)((a.element[i] + offset) * b.element[i]));
  }
  return sum;
}

/* 4 sums; 8 factors; 8 sums. */
typedef struct {
  int32_t element[4];
} forebay_i32x4;
typedef struct {
  int16_t element[8];
} forebay_i16x8;
typedef struct {
  int32_t element[8];
} forebay_i32x8;

static inline forebay_i32x4 forebay_of_i32x4(int32_t a, int32_t b, int32_t c, int32_t d) {
  const forebay_i32x4 result = {{a, b, c, d}};
  return result;
}

static inline forebay_i32x4 forebay_splat_i32x4(int32_t element) {
  return forebay_of_i32x4(element, element, element, element);
}

static inline int32_t forebay_get_i32x4(forebay_i32x4 a, int32_t lane) { return a.element[lane]; }

static inline forebay_i32x8 forebay_splat_i32x8(int32_t element) {
  const forebay_i32x8 result = {
      {element, element, element, element, element, element, element, element}};
  return result;
}

static inline forebay_i16x8 forebay_splat_i16x8(int16_t element) {
  const forebay_i16x8 result = {
      {element, element, element, element, element, element, element, element}};
  return result;
}

static inline forebay_i32x4 forebay_load_i32x4(const int32_t *elements) {
  forebay_i32x4 result;
  (void)memcpy(result.element, elements, sizeof result.element);
  return result;
}

static inline forebay_i32x8 forebay_load_i32x8(const int32_t *elements) {
  forebay_i32x8 result;
  (void)memcpy(result.element, elements, sizeof result.element);
  return result;
}

/* Elements of 8 bits, sign-extended. */
static inline forebay_i32x4 forebay_extend_i32x4(const int8_t *elements) {
  return forebay_of_i32x4(elements[0], elements[1], elements[2], elements[3]);
}

static inline forebay_i16x8 forebay_extend_i16x8(const int8_t *elements) {
  forebay_i16x8 result;
  for (int32_t i = 0; i < 8; ++i) {
    result.element[i] = elements[i];
  }
  return result;
}

static inline forebay_i32x8 forebay_extend_i32x8(const int8_t *elements) {
  forebay_i32x8 result;
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

/* Sums, differences and products of each lane, which wrap around. */
static inline forebay_i32x4 forebay_add_i32x4(forebay_i32x4 a, forebay_i32x4 b) {
  for (int32_t i = 0; i < 4; ++i) {
    a.element[i] = (int32_t)((uint32_t)a.element[i] + (uint32_t)b.element[i]);
  }
  return a;
}

static inline forebay_i32x4 forebay_subtract_i32x4(forebay_i32x4 a, forebay_i32x4 b) {
  for (int32_t i = 0; i < 4; ++i) {
    a.element[i] = (int32_t)((uint32_t)a.element[i] - (uint32_t)b.element[i]);
  }
  return a;
}

static inline forebay_i32x4 forebay_multiply_i32x4(forebay_i32x4 a, forebay_i32x4 b) {
  for (int32_t i = 0; i < 4; ++i) {
    a.element[i] = (int32_t)((uint32_t)a.element[i] * (uint32_t)b.element[i]);
  }
  return a;
}

/* The same with one number for all lanes. */
static inline forebay_i32x4 forebay_add_each_i32x4(forebay_i32x4 a, int32_t b) {
  return forebay_add_i32x4(a, forebay_splat_i32x4(b));
}

static inline forebay_i32x4 forebay_multiply_each_i32x4(forebay_i32x4 a, int32_t b) {
  return forebay_multiply_i32x4(a, forebay_splat_i32x4(b));
}

/* Each value * multiplier / 2^shift, rounded to 32 bits and once more, halves away from zero: for
   |value| < 2^30 and 32 <= shift <= 53. */
static inline forebay_i32x4 forebay_rescale_i32x4(forebay_i32x4 value, int32_t multiplier,
                                                  int32_t shift) {
  for (int32_t i = 0; i < 4; ++i) {
    const int64_t product = (int64_t)(value.element[i] * 2) * multiplier + ((int64_t)1 << 31);
    const int32_t rounded = (int32_t)(product >> 32);
    value.element[i] = (((rounded + (rounded >> 31)) >> (shift - 32)) + 1) >> 1;
  }
  return value;
}

/* value * multiplier / 2^shift, rounded to 32 bits and once more, halves away from zero, plus
   zero_point, limited to low and high: for |value| < 2^30 and 32 <= shift <= 53. */
static inline int8_t forebay_mve_rescaled(int32_t value, int32_t multiplier, int32_t shift,
                                          int32_t zero_point, int32_t low, int32_t high) {
  const int64_t product = (int64_t)(value * 2) * multiplier + ((int64_t)1 << 31);
  const int32_t rounded = (int32_t)(product >> 32);
  const int32_t moved = ((((rounded + (rounded >> 31)) >> (shift - 32)) + 1) >> 1) + zero_point;
  return (int8_t)(moved < low ? low : (moved > high ? high : moved));
}

/* Store each rescaled value plus zero_point, limited to low and high, in 8 bits. */
static inline void forebay_store_rescaled_i32x4(int8_t *out, forebay_i32x4 value,
                                                forebay_i32x4 multiplier, forebay_i32x4 shift,
                                                int32_t zero_point, int32_t low, int32_t high) {
  for (int32_t i = 0; i < 4; ++i) {
    out[i] = forebay_mve_rescaled(value.element[i], multiplier.element[i], shift.element[i],
                                  zero_point, low, high);
  }
}

static inline void forebay_store_rescaled_i32x8(int8_t *out, forebay_i32x8 value,
                                                forebay_i32x8 multiplier, forebay_i32x8 shift,
                                                int32_t zero_point, int32_t low, int32_t high) {
  for (int32_t i = 0; i < 8; ++i) {
    out[i] = forebay_mve_rescaled(value.element[i], multiplier.element[i], shift.element[i],
                                  zero_point, low, high);
  }
}

#define FOREBAY_MVE_GET_I32X4(value, elements)                                                     \
  (void)memcpy((value).element, (elements), sizeof(value).element)
#define FOREBAY_MVE_PUT_I32X4(elements, value)                                                     \
  (void)memcpy((elements), (value).element, sizeof(value).element)
#define FOREBAY_MVE_PUT_I32X8(elements, value)                                                     \
  (void)memcpy((elements), (value).element, sizeof(value).element)

#endif

/* value * multiplier / 2^shift, rounded twice where shift > 31: for all values of which the result
   has 32 bits. */
static inline int64_t forebay_mve_product(int32_t value, int32_t multiplier, int32_t shift) {
  int64_t rounding = (int64_t)1 << (shift - 1);
  if (shift > 31) {
    rounding += value >= 0 ? (1 << 30) : -(1 << 30);
  }
  return ((int64_t)value * multiplier + rounding) >> shift;
}

/* As forebay_rescale, for all values of which the result has 32 bits. */
static inline forebay_i32x4 forebay_scale_i32x4(forebay_i32x4 value, int32_t multiplier,
                                                int32_t shift) {
  int32_t values[4];
  FOREBAY_MVE_PUT_I32X4(values, value);
  for (int32_t i = 0; i < 4; ++i) {
    values[i] = (int32_t)forebay_mve_product(values[i], multiplier, shift);
  }
  FOREBAY_MVE_GET_I32X4(value, values);
  return value;
}

/* forebay_mve_product plus zero_point, limited to low and high. */
static inline int8_t forebay_mve_scaled(int32_t value, int32_t multiplier, int32_t shift,
                                        int32_t zero_point, int32_t low, int32_t high) {
  const int64_t scaled = forebay_mve_product(value, multiplier, shift) + zero_point;
  return (int8_t)(scaled < low ? low : (scaled > high ? high : scaled));
}

/* As forebay_store_rescaled, for all values of which the result has 32 bits. */
static inline void forebay_store_scaled_i32x4(int8_t *out, forebay_i32x4 value,
                                              forebay_i32x4 multiplier, forebay_i32x4 shift,
                                              int32_t zero_point, int32_t low, int32_t high) {
  int32_t values[3][4];
  FOREBAY_MVE_PUT_I32X4(values[0], value);
  FOREBAY_MVE_PUT_I32X4(values[1], multiplier);
  FOREBAY_MVE_PUT_I32X4(values[2], shift);
  for (int32_t i = 0; i < 4; ++i) {
    out[i] = forebay_mve_scaled(values[0][i], values[1][i], values[2][i], zero_point, low, high);
  }
}

static inline void forebay_store_scaled_i32x8(int8_t *out, forebay_i32x8 value,
                                              forebay_i32x8 multiplier, forebay_i32x8 shift,
                                              int32_t zero_point, int32_t low, int32_t high) {
  int32_t values[3][8];
  FOREBAY_MVE_PUT_I32X8(values[0], value);
  FOREBAY_MVE_PUT_I32X8(values[1], multiplier);
  FOREBAY_MVE_PUT_I32X8(values[2], shift);
  for (int32_t i = 0; i < 8; ++i) {
    out[i] = forebay_mve_scaled(values[0][i], values[1][i], values[2][i], zero_point, low, high);
  }
}

#endif /* FOREBAY_MVE_H */
