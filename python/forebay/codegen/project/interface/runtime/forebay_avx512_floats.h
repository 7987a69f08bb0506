/* 16 floats at once, for C that forebay generates with --cpu x86-64-v4 or
   cascadelake.

   With AVX-512 each of these functions is an instruction or two. With FOREBAY_AVX512_FLOATS defined as 0, and for
   all other processors, they are plain C with the same results. Each operation is rounded: compile
   with -ffp-contract=off. The file is the same in every project. */
#ifndef FOREBAY_AVX512_FLOATS_H
#define FOREBAY_AVX512_FLOATS_H

#if !defined FOREBAY_AVX512_FLOATS
#if defined __AVX512F__ && (defined __GNUC__ || defined __clang__)
#define FOREBAY_AVX512_FLOATS 1
#else
#define FOREBAY_AVX512_FLOATS 0
#endif
#endif

#if FOREBAY_AVX512_FLOATS

#include <immintrin.h>

#define FOREBAY_AVX512_FLOATS_FUNCTION static inline __attribute__((always_inline))

typedef __m512 forebay_f32x16;

FOREBAY_AVX512_FLOATS_FUNCTION forebay_f32x16 forebay_load_f32x16(const float *elements) {
  return _mm512_loadu_ps(elements);
}

FOREBAY_AVX512_FLOATS_FUNCTION void forebay_store_f32x16(float *out, forebay_f32x16 value) {
  _mm512_storeu_ps(out, value);
}

FOREBAY_AVX512_FLOATS_FUNCTION forebay_f32x16 forebay_splat_f32x16(float element) {
  return _mm512_set1_ps(element);
}

FOREBAY_AVX512_FLOATS_FUNCTION forebay_f32x16 forebay_add_f32x16(forebay_f32x16 a,
                                                                 forebay_f32x16 b) {
  return _mm512_add_ps(a, b);
}

FOREBAY_AVX512_FLOATS_FUNCTION forebay_f32x16 forebay_multiply_f32x16(forebay_f32x16 a,
                                                                      forebay_f32x16 b) {
  return _mm512_mul_ps(a, b);
}

/* As at_least_f32 and at_most_f32 of each lane: a NaN propagates. */
FOREBAY_AVX512_FLOATS_FUNCTION forebay_f32x16 forebay_at_least_f32x16(forebay_f32x16 a,
                                                                      forebay_f32x16 low) {
  return _mm512_mask_mov_ps(a, _mm512_cmp_ps_mask(a, low, _CMP_LE_OQ), low);
}

FOREBAY_AVX512_FLOATS_FUNCTION forebay_f32x16 forebay_at_most_f32x16(forebay_f32x16 a,
                                                                     forebay_f32x16 high) {
  return _mm512_mask_mov_ps(a, _mm512_cmp_ps_mask(a, high, _CMP_GE_OQ), high);
}

#else

/* Compilers take long for hundreds of copies of these loops in one function. */
#if defined __GNUC__
#define FOREBAY_AVX512_FLOATS_FUNCTION static __attribute__((noinline, unused))
#else
#define FOREBAY_AVX512_FLOATS_FUNCTION static inline
#endif

typedef struct {
  float lanes[16];
} forebay_f32x16;

FOREBAY_AVX512_FLOATS_FUNCTION forebay_f32x16 forebay_load_f32x16(const float *elements) {
  forebay_f32x16 result;
  for (int i = 0; i < 16; ++i) {
    result.lanes[i] = elements[i];
  }
  return result;
}

FOREBAY_AVX512_FLOATS_FUNCTION void forebay_store_f32x16(float *out, forebay_f32x16 value) {
  for (int i = 0; i < 16; ++i) {
    out[i] = value.lanes[i];
  }
}

FOREBAY_AVX512_FLOATS_FUNCTION forebay_f32x16 forebay_splat_f32x16(float element) {
  forebay_f32x16 result;
  for (int i = 0; i < 16; ++i) {
    result.lanes[i] = element;
  }
  return result;
}

FOREBAY_AVX512_FLOATS_FUNCTION forebay_f32x16 forebay_add_f32x16(forebay_f32x16 a,
                                                                 forebay_f32x16 b) {
  for (int i = 0; i < 16; ++i) {
    a.lanes[i] += b.lanes[i];
  }
  return a;
}

FOREBAY_AVX512_FLOATS_FUNCTION forebay_f32x16 forebay_multiply_f32x16(forebay_f32x16 a,
                                                                      forebay_f32x16 b) {
  for (int i = 0; i < 16; ++i) {
    a.lanes[i] *= b.lanes[i];
  }
  return a;
}

FOREBAY_AVX512_FLOATS_FUNCTION forebay_f32x16 forebay_at_least_f32x16(forebay_f32x16 a,
                                                                      forebay_f32x16 low) {
  for (int i = 0; i < 16; ++i) {
    a.lanes[i] = a.lanes[i] <= low.lanes[i] ? low.lanes[i] : a.lanes[i];
  }
  return a;
}

FOREBAY_AVX512_FLOATS_FUNCTION forebay_f32x16 forebay_at_most_f32x16(forebay_f32x16 a,
                                                                     forebay_f32x16 high) {
  for (int i = 0; i < 16; ++i) {
    a.lanes[i] = a.lanes[i] >= high.lanes[i] ? high.lanes[i] : a.lanes[i];
  }
  return a;
}

#endif

#endif /* FOREBAY_AVX512_FLOATS_H */
