/* Products of up to 16 8-bit integers at once, for C that forebay generates with --cpu cortex-m55.

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

#define FOREBAY_MVE_INLINE static inline __attribute__((always_inline))

/* 16 elements in the order of memory. */
typedef int8x16_t forebay_i8x16;

FOREBAY_MVE_INLINE forebay_i8x16 forebay_load_i8x16(const int8_t *elements) {
  return vldrbq_s8(elements);
}

FOREBAY_MVE_INLINE forebay_i8x16 forebay_splat_i8x16(int8_t element) { return vdupq_n_s8(element); }

/* The first elements; all others are 0. */
FOREBAY_MVE_INLINE forebay_i8x16 forebay_load_first_i8x16(const int8_t *elements, uint32_t count) {
  return vldrbq_z_s8(elements, vctp8q(count));
}

/* sum + all (a[i] + offset) * b[i], which wraps around. */
FOREBAY_MVE_INLINE int32_t forebay_dot_i8x16(int32_t sum, forebay_i8x16 a, int32_t offset,
                                             forebay_i8x16 b) {
  sum = vmladavaq_s8(sum, a, b);
  return offset == 0 ? sum : (int32_t)((uint32_t)sum + (uint32_t)(offset * vaddvq_s8(b)));
}

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

static inline forebay_i8x16 forebay_load_i8x16(const int8_t *elements) {
  return forebay_load_first_i8x16(elements, 16);
}

/* sum + all (a[i] + offset) * b[i], which wraps around. */
static inline int32_t forebay_dot_i8x16(int32_t sum, forebay_i8x16 a, int32_t offset,
                                        forebay_i8x16 b) {
  for (int32_t i = 0; i < 16; ++i) {
    sum = (int32_t)((uint32_t)sum + (uint32_t)((a.element[i] + offset) * b.element[i]));
  }
  return sum;
}

#endif

#endif /* FOREBAY_MVE_H */
