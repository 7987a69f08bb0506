/* Products of 16 8-bit integers at once, for C that forebay generates with --cpu cortex-a76.

   With NEON on AArch64 these functions are a few instructions each, and fewer with its dot products
   (Armv8.2-A). With FOREBAY_NEON defined as 0, and for all other processors, they are plain C with
   the same results. FOREBAY_NEON_DOT defined as 0 leaves the dot products out. The file is the same
   in every project. */
#ifndef FOREBAY_NEON_H
#define FOREBAY_NEON_H

#include <stdint.h>
#include <string.h>

#if !defined FOREBAY_NEON
#if defined __aarch64__ && defined __ARM_NEON && !defined __AARCH64EB__
#define FOREBAY_NEON 1
#else
#define FOREBAY_NEON 0
#endif
#endif

#if !defined FOREBAY_NEON_DOT
#if defined __ARM_FEATURE_DOTPROD
#define FOREBAY_NEON_DOT 1
#else
#define FOREBAY_NEON_DOT 0
#endif
#endif

#if FOREBAY_NEON

#include <arm_neon.h>

#define FOREBAY_NEON_INLINE static inline __attribute__((always_inline))

/* 16 elements in the order of memory. */
typedef int8x16_t forebay_i8x16;

FOREBAY_NEON_INLINE forebay_i8x16 forebay_load_i8x16(const int8_t *elements) {
  return vld1q_s8(elements);
}

FOREBAY_NEON_INLINE void forebay_store_i8x16(int8_t *elements, forebay_i8x16 a) {
  vst1q_s8(elements, a);
}

/* The first elements only. */
FOREBAY_NEON_INLINE void forebay_store_first_i8x16(int8_t *elements, forebay_i8x16 a,
                                                   uint32_t count) {
  int8_t bytes[16];
  vst1q_s8(bytes, a);
  (void)memcpy(elements, bytes, count);
}

/* The larger element at each place, and the smaller one. */
FOREBAY_NEON_INLINE forebay_i8x16 forebay_max_i8x16(forebay_i8x16 a, forebay_i8x16 b) {
  return vmaxq_s8(a, b);
}

FOREBAY_NEON_INLINE forebay_i8x16 forebay_min_i8x16(forebay_i8x16 a, forebay_i8x16 b) {
  return vminq_s8(a, b);
}

FOREBAY_NEON_INLINE forebay_i8x16 forebay_splat_i8x16(int8_t element) {
  return vdupq_n_s8(element);
}

/* The first elements; all others are 0. */
FOREBAY_NEON_INLINE forebay_i8x16 forebay_load_first_i8x16(const int8_t *elements, uint32_t count) {
  int8_t bytes[16] = {0};
  (void)memcpy(bytes, elements, count);
  return vld1q_s8(bytes);
}

/* Elements of which those in [begin, end) are from elements[index] on, and all others are fill.
   elements[index] may be no element. */
FOREBAY_NEON_INLINE forebay_i8x16 forebay_load_between_i8x16(const int8_t *elements, int32_t index,
                                                             int32_t begin, int32_t end,
                                                             int32_t fill) {
  int8_t bytes[16];
  (void)memset(bytes, fill, sizeof bytes);
  if (begin < end) {
    (void)memcpy(bytes + begin, elements + (index + begin), (uint32_t)(end - begin));
  }
  return vld1q_s8(bytes);
}

/* 4 sums; 8 sums; 8 factors of products that are added to these. */
typedef int32x4_t forebay_i32x4;
typedef int32x4x2_t forebay_i32x8;
typedef int16x8_t forebay_i16x8;

FOREBAY_NEON_INLINE forebay_i32x8 forebay_neon_both(int32x4_t low, int32x4_t high) {
  int32x4x2_t result;
  result.val[0] = low;
  result.val[1] = high;
  return result;
}

FOREBAY_NEON_INLINE forebay_i32x4 forebay_of_i32x4(int32_t a, int32_t b, int32_t c, int32_t d) {
  const int32_t elements[4] = {a, b, c, d};
  return vld1q_s32(elements);
}

FOREBAY_NEON_INLINE forebay_i32x4 forebay_splat_i32x4(int32_t element) {
  return vdupq_n_s32(element);
}

FOREBAY_NEON_INLINE forebay_i32x8 forebay_splat_i32x8(int32_t element) {
  return forebay_neon_both(vdupq_n_s32(element), vdupq_n_s32(element));
}

FOREBAY_NEON_INLINE int32_t forebay_get_i32x8(forebay_i32x8 a, int32_t lane) {
  return a.val[lane / 4][lane % 4];
}

FOREBAY_NEON_INLINE forebay_i16x8 forebay_splat_i16x8(int16_t element) {
  return vdupq_n_s16(element);
}

FOREBAY_NEON_INLINE forebay_i32x4 forebay_load_i32x4(const int32_t *elements) {
  return vld1q_s32(elements);
}

FOREBAY_NEON_INLINE forebay_i32x8 forebay_load_i32x8(const int32_t *elements) {
  return forebay_neon_both(vld1q_s32(elements), vld1q_s32(elements + 4));
}

/* Elements of 8 bits, sign-extended. */
FOREBAY_NEON_INLINE forebay_i16x8 forebay_extend_i16x8(const int8_t *elements) {
  return vmovl_s8(vld1_s8(elements));
}

FOREBAY_NEON_INLINE forebay_i32x8 forebay_extend_i32x8(const int8_t *elements) {
  const int16x8_t wide = forebay_extend_i16x8(elements);
  return forebay_neon_both(vmovl_s16(vget_low_s16(wide)), vmovl_high_s16(wide));
}

FOREBAY_NEON_INLINE forebay_i32x4 forebay_extend_i32x4(const int8_t *elements) {
  uint32_t four;
  (void)memcpy(&four, elements, sizeof four);
  const int8x8_t bytes = vreinterpret_s8_u32(vdup_n_u32(four));
  return vmovl_s16(vget_low_s16(vmovl_s8(bytes)));
}

/* Each sum[i] + (a[i] + offset) * b[i], which wraps around; a[i] + offset has 16 bits. */
FOREBAY_NEON_INLINE forebay_i32x8 forebay_multiply_add_i32x8(forebay_i32x8 sum, forebay_i16x8 a,
                                                             int32_t offset, forebay_i16x8 b) {
  const int16x8_t moved = offset == 0 ? a : vaddq_s16(a, vdupq_n_s16((int16_t)offset));
  return forebay_neon_both(vmlal_s16(sum.val[0], vget_low_s16(moved), vget_low_s16(b)),
                           vmlal_high_s16(sum.val[1], moved, b));
}

/* Add each a[i] * b[i] to one of the sums. */
FOREBAY_NEON_INLINE int32x4_t forebay_neon_dot(int32x4_t sum, int8x16_t a, int8x16_t b) {
#if FOREBAY_NEON_DOT
  return vdotq_s32(sum, a, b);
#else
  const int16x8_t low = vmull_s8(vget_low_s8(a), vget_low_s8(b));
  return vpadalq_s16(vpadalq_s16(sum, low), vmull_high_s8(a, b));
#endif
}

/* Add each (a[i] + offset) * b[i] to one of the sums, which wrap around. The sums of b are the same
   for all a, so compilers compute them once. */
FOREBAY_NEON_INLINE forebay_i32x4 forebay_dots_i32x4_i8x16(forebay_i32x4 sum, forebay_i8x16 a,
                                                           int32_t offset, forebay_i8x16 b) {
  const int32x4_t products = forebay_neon_dot(sum, a, b);
  if (offset == 0) {
    return products;
  }
  const int32x4_t factors = forebay_neon_dot(vdupq_n_s32(0), vdupq_n_s8(1), b);
  return vmlaq_n_s32(products, factors, offset);
}

/* sum + all elements, which wraps around. */
FOREBAY_NEON_INLINE int32_t forebay_total_i32x4(forebay_i32x4 sums, int32_t sum) {
  return (int32_t)((uint32_t)vaddvq_s32(sums) + (uint32_t)sum);
}

/* Each start[i] + all elements of the vector with number i, which wraps around. */
FOREBAY_NEON_INLINE forebay_i32x4 forebay_add_totals_i32x4(forebay_i32x4 start, forebay_i32x4 a,
                                                           forebay_i32x4 b, forebay_i32x4 c,
                                                           forebay_i32x4 d) {
  return vaddq_s32(start, vpaddq_s32(vpaddq_s32(a, b), vpaddq_s32(c, d)));
}

/* Each value * multiplier / 2^shift, rounded to 32 bits and once more, halves away from zero: for
   |value| < 2^30 and 32 <= shift <= 53. With is_limited set, halves below zero are rounded up: for
   results below zero that a limit replaces. */
FOREBAY_NEON_INLINE int32x4_t forebay_neon_rescaled(int32x4_t value, int32x4_t multiplier,
                                                    int32x4_t shift, int is_limited) {
  const int32x4_t product = vqrdmulhq_s32(value, multiplier);
  const int32x4_t down = is_limited ? product : vsraq_n_s32(product, product, 31);
  return vrshlq_s32(down, vsubq_s32(vdupq_n_s32(31), shift));
}

/* Results of 16 bits plus zero_point, limited to low and high. */
FOREBAY_NEON_INLINE int8x8_t forebay_neon_limited(int16x8_t results, int32_t zero_point,
                                                  int32_t low, int32_t high) {
  int8x8_t bytes = vqmovn_s16(vqaddq_s16(results, vdupq_n_s16((int16_t)zero_point)));
  if (low > INT8_MIN) {
    bytes = vmax_s8(bytes, vdup_n_s8((int8_t)low));
  }
  return high < INT8_MAX ? vmin_s8(bytes, vdup_n_s8((int8_t)high)) : bytes;
}

/* Store each rescaled value plus zero_point, limited to low and high, in 8 bits. */
FOREBAY_NEON_INLINE void forebay_store_rescaled_i32x4(int8_t *out, forebay_i32x4 value,
                                                      forebay_i32x4 multiplier, forebay_i32x4 shift,
                                                      int32_t zero_point, int32_t low,
                                                      int32_t high) {
  const int32x4_t results = forebay_neon_rescaled(value, multiplier, shift, zero_point <= low);
  const int16x4_t four = vqmovn_s32(results);
  const int8x8_t bytes = forebay_neon_limited(vcombine_s16(four, four), zero_point, low, high);
  const uint32_t first = vget_lane_u32(vreinterpret_u32_s8(bytes), 0);
  (void)memcpy(out, &first, sizeof first);
}

FOREBAY_NEON_INLINE void forebay_store_rescaled_i32x8(int8_t *out, forebay_i32x8 value,
                                                      forebay_i32x8 multiplier, forebay_i32x8 shift,
                                                      int32_t zero_point, int32_t low,
                                                      int32_t high) {
  const int is_limited = zero_point <= low;
  const int32x4_t first =
      forebay_neon_rescaled(value.val[0], multiplier.val[0], shift.val[0], is_limited);
  const int32x4_t last =
      forebay_neon_rescaled(value.val[1], multiplier.val[1], shift.val[1], is_limited);
  const int16x8_t results = vqmovn_high_s32(vqmovn_s32(first), last);
  vst1_s8(out, forebay_neon_limited(results, zero_point, low, high));
}

#define FOREBAY_NEON_PUT4(elements, value) vst1q_s32((elements), (value))
#define FOREBAY_NEON_PUT8(elements, value)                                                         \
  vst1q_s32((elements), (value).val[0]), vst1q_s32((elements) + 4, (value).val[1])

#else

/* 16 elements in the order of memory. */
typedef struct {
  int8_t element[16];
} forebay_i8x16;

static inline forebay_i8x16 forebay_splat_i8x16(int8_t element) {
  forebay_i8x16 result;
  (void)memset(result.element, element, sizeof result.element);
  return result;
}

/* The first elements; all others are 0. */
static inline forebay_i8x16 forebay_load_first_i8x16(const int8_t *elements, uint32_t count) {
  forebay_i8x16 result = {{0}};
  (void)memcpy(result.element, elements, count);
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

/* 4 sums; 8 sums; 8 factors. */
typedef struct {
  int32_t element[4];
} forebay_i32x4;
typedef struct {
  int32_t element[8];
} forebay_i32x8;
typedef struct {
  int16_t element[8];
} forebay_i16x8;

static inline forebay_i32x4 forebay_of_i32x4(int32_t a, int32_t b, int32_t c, int32_t d) {
  const forebay_i32x4 result = {{a, b, c, d}};
  return result;
}

static inline forebay_i32x4 forebay_splat_i32x4(int32_t element) {
  return forebay_of_i32x4(element, element, element, element);
}

static inline forebay_i32x8 forebay_splat_i32x8(int32_t element) {
  const forebay_i32x8 result = {
      {element, element, element, element, element, element, element, element}};
  return result;
}

static inline int32_t forebay_get_i32x8(forebay_i32x8 a, int32_t lane) { return a.element[lane]; }

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

/* Add each (a[i] + offset) * b[i] to one of the sums, which wrap around. */
static inline forebay_i32x4 forebay_dots_i32x4_i8x16(forebay_i32x4 sum, forebay_i8x16 a,
                                                     int32_t offset, forebay_i8x16 b) {
  for (int32_t i = 0; i < 16; ++i) {
    const uint32_t product = (uint32_t)((a.element[i] + offset) * b.element[i]);
    sum.element[i / 4] = (int32_t)((uint32_t)sum.element[i / 4] + product);
  }
  return sum;
}

/* sum + all elements, which wraps around. */
static inline int32_t forebay_total_i32x4(forebay_i32x4 sums, int32_t sum) {
  for (int32_t i = 0; i < 4; ++i) {
    sum = (int32_t)((uint32_t)sum + (uint32_t)sums.element[i]);
  }
  return sum;
}

/* Each start[i] + all elements of the vector with number i, which wraps around. */
static inline forebay_i32x4 forebay_add_totals_i32x4(forebay_i32x4 start, forebay_i32x4 a,
                                                     forebay_i32x4 b, forebay_i32x4 c,
                                                     forebay_i32x4 d) {
  return forebay_of_i32x4(
      forebay_total_i32x4(a, start.element[0]), forebay_total_i32x4(b, start.element[1]),
      forebay_total_i32x4(c, start.element[2]), forebay_total_i32x4(d, start.element[3]));
}

/* Store each value * multiplier / 2^shift, rounded to 32 bits and once more, halves away from zero,
   plus zero_point, limited to low and high, in 8 bits: for |value| < 2^30 and 32 <= shift <= 53. */
static inline void forebay_neon_rescaled(int8_t *out, uint32_t count, const int32_t *value,
                                         const int32_t *multiplier, const int32_t *shift,
                                         int32_t zero_point, int32_t low, int32_t high) {
  for (uint32_t i = 0; i < count; ++i) {
    const int64_t product = (int64_t)(value[i] * 2) * multiplier[i] + ((int64_t)1 << 31);
    const int32_t rounded = (int32_t)(product >> 32);
    const int32_t down = (rounded + (rounded >> 31)) >> (shift[i] - 32);
    const int32_t result = ((down + 1) >> 1) + zero_point;
    out[i] = (int8_t)(result < low ? low : (result > high ? high : result));
  }
}

static inline void forebay_store_rescaled_i32x4(int8_t *out, forebay_i32x4 value,
                                                forebay_i32x4 multiplier, forebay_i32x4 shift,
                                                int32_t zero_point, int32_t low, int32_t high) {
  forebay_neon_rescaled(out, 4, value.element, multiplier.element, shift.element, zero_point, low,
                        high);
}

static inline void forebay_store_rescaled_i32x8(int8_t *out, forebay_i32x8 value,
                                                forebay_i32x8 multiplier, forebay_i32x8 shift,
                                                int32_t zero_point, int32_t low, int32_t high) {
  forebay_neon_rescaled(out, 8, value.element, multiplier.element, shift.element, zero_point, low,
                        high);
}

#define FOREBAY_NEON_PUT4(elements, value)                                                         \
  (void)memcpy((elements), (value).element, sizeof(value).element)
#define FOREBAY_NEON_PUT8(elements, value) FOREBAY_NEON_PUT4(elements, value)

#endif

/* 4 elements in the order of memory, as the first of 16. */
typedef forebay_i8x16 forebay_i8x4;

static inline forebay_i8x4 forebay_load_i8x4(const int8_t *elements) {
  return forebay_load_first_i8x16(elements, 4);
}

static inline forebay_i8x4 forebay_load_between_i8x4(const int8_t *elements, int32_t index,
                                                     int32_t begin, int32_t end, int32_t fill) {
  return forebay_load_between_i8x16(elements, index, begin, end, fill);
}

static inline forebay_i8x4 forebay_splat_i8x4(int8_t element) {
  return forebay_splat_i8x16(element);
}

/* One of the factors has zeros behind its 4 elements. */
static inline forebay_i32x4 forebay_dots_i32x4_i8x4(forebay_i32x4 sum, forebay_i8x4 a,
                                                    int32_t offset, forebay_i8x4 b) {
  return forebay_dots_i32x4_i8x16(sum, a, offset, b);
}

/* As forebay_store_rescaled, rounded twice where shift > 31, for all values of which the result has
   32 bits. */
static inline void forebay_neon_scaled(int8_t *out, uint32_t count, const int32_t *value,
                                       const int32_t *multiplier, const int32_t *shift,
                                       int32_t zero_point, int32_t low, int32_t high) {
  for (uint32_t i = 0; i < count; ++i) {
    int64_t rounding = (int64_t)1 << (shift[i] - 1);
    if (shift[i] > 31) {
      rounding += value[i] >= 0 ? (1 << 30) : -(1 << 30);
    }
    const int64_t product = (int64_t)value[i] * multiplier[i];
    const int64_t scaled = ((product + rounding) >> shift[i]) + zero_point;
    out[i] = (int8_t)(scaled < low ? low : (scaled > high ? high : scaled));
  }
}

static inline void forebay_store_scaled_i32x4(int8_t *out, forebay_i32x4 value,
                                              forebay_i32x4 multiplier, forebay_i32x4 shift,
                                              int32_t zero_point, int32_t low, int32_t high) {
  int32_t values[3][4];
  FOREBAY_NEON_PUT4(values[0], value);
  FOREBAY_NEON_PUT4(values[1], multiplier);
  FOREBAY_NEON_PUT4(values[2], shift);
  forebay_neon_scaled(out, 4, values[0], values[1], values[2], zero_point, low, high);
}

static inline void forebay_store_scaled_i32x8(int8_t *out, forebay_i32x8 value,
                                              forebay_i32x8 multiplier, forebay_i32x8 shift,
                                              int32_t zero_point, int32_t low, int32_t high) {
  int32_t values[3][8];
  FOREBAY_NEON_PUT8(values[0], value);
  FOREBAY_NEON_PUT8(values[1], multiplier);
  FOREBAY_NEON_PUT8(values[2], shift);
  forebay_neon_scaled(out, 8, values[0], values[1], values[2], zero_point, low, high);
}

#endif /* FOREBAY_NEON_H */
