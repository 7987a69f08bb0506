/* Arithmetic on 8 neighbouring elements, for C that forebay generates with --cpu cortex-a76.

   With NEON on AArch64 these functions are a few instructions each. Where forebay_neon.h has no
   instructions, they are plain C with the same results. The file is the same in every project. */
#ifndef FOREBAY_NEON_ELEMENTS_H
#define FOREBAY_NEON_ELEMENTS_H

#include "forebay_neon.h"

#if FOREBAY_NEON

/* Sums, differences and products of each lane, which wrap around. */
FOREBAY_NEON_INLINE forebay_i32x8 forebay_add_i32x8(forebay_i32x8 a, forebay_i32x8 b) {
  return forebay_neon_both(vaddq_s32(a.val[0], b.val[0]), vaddq_s32(a.val[1], b.val[1]));
}

FOREBAY_NEON_INLINE forebay_i32x8 forebay_subtract_i32x8(forebay_i32x8 a, forebay_i32x8 b) {
  return forebay_neon_both(vsubq_s32(a.val[0], b.val[0]), vsubq_s32(a.val[1], b.val[1]));
}

FOREBAY_NEON_INLINE forebay_i32x8 forebay_multiply_i32x8(forebay_i32x8 a, forebay_i32x8 b) {
  return forebay_neon_both(vmulq_s32(a.val[0], b.val[0]), vmulq_s32(a.val[1], b.val[1]));
}

/* The same with one number for all lanes. */
FOREBAY_NEON_INLINE forebay_i32x8 forebay_add_each_i32x8(forebay_i32x8 a, int32_t b) {
  return forebay_add_i32x8(a, forebay_splat_i32x8(b));
}

FOREBAY_NEON_INLINE forebay_i32x8 forebay_multiply_each_i32x8(forebay_i32x8 a, int32_t b) {
  return forebay_multiply_i32x8(a, forebay_splat_i32x8(b));
}

/* Each value * multiplier / 2^shift, rounded to 32 bits and once more, halves away from zero: for
   |value| < 2^30 and 32 <= shift <= 53. */
FOREBAY_NEON_INLINE forebay_i32x8 forebay_rescale_i32x8(forebay_i32x8 value, int32_t multiplier,
                                                        int32_t shift) {
  const int32x4_t factors = vdupq_n_s32(multiplier);
  const int32x4_t shifts = vdupq_n_s32(shift);
  return forebay_neon_both(forebay_neon_rescaled(value.val[0], factors, shifts, 0),
                           forebay_neon_rescaled(value.val[1], factors, shifts, 0));
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
  FOREBAY_NEON_PUT8(values, value);
  for (int32_t i = 0; i < 8; ++i) {
    const int64_t last = shift > 31 ? (values[i] >= 0 ? (1 << 30) : -(1 << 30)) : 0;
    values[i] = (int32_t)(((int64_t)values[i] * multiplier + rounding + last) >> shift);
  }
  return forebay_load_i32x8(values);
}

#endif /* FOREBAY_NEON_ELEMENTS_H */
