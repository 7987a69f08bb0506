/* 8 floats at once, for C that forebay generates with --cpu x86-64-v3, x86-64-v4
   or cascadelake.

   With AVX2 each of these functions is an instruction or two. With FOREBAY_AVX2_FLOATS defined as 0, and for
   all other processors, they are plain C with the same results. Each operation is rounded: compile
   with -ffp-contract=off. The file is the same in every project. */
#ifndef FOREBAY_AVX2_FLOATS_H
#define FOREBAY_AVX2_FLOATS_H

#if !defined FOREBAY_AVX2_FLOATS
#if defined __AVX2__ && (defined __GNUC__ || defined __clang__)
#define FOREBAY_AVX2_FLOATS 1
#else
#define FOREBAY_AVX2_FLOATS 0
#endif
#endif

#if FOREBAY_AVX2_FLOATS

#include <immintrin.h>

#define FOREBAY_AVX2_FLOATS_FUNCTION static inline __attribute__((always_inline))

typedef __m256 forebay_f32x8;

FOREBAY_AVX2_FLOATS_FUNCTION forebay_f32x8 forebay_load_f32x8(const float *elements) {
  return _mm256_loadu_ps(elements);
}

FOREBAY_AVX2_FLOATS_FUNCTION void forebay_store_f32x8(float *out, forebay_f32x8 value) {
  _mm256_storeu_ps(out, value);
}

FOREBAY_AVX2_FLOATS_FUNCTION forebay_f32x8 forebay_splat_f32x8(float element) {
  return _mm256_set1_ps(element);
}

FOREBAY_AVX2_FLOATS_FUNCTION forebay_f32x8 forebay_add_f32x8(forebay_f32x8 a, forebay_f32x8 b) {
  return _mm256_add_ps(a, b);
}

FOREBAY_AVX2_FLOATS_FUNCTION forebay_f32x8 forebay_multiply_f32x8(forebay_f32x8 a,
                                                                  forebay_f32x8 b) {
  return _mm256_mul_ps(a, b);
}

/* As at_least_f32 and at_most_f32 of each lane: a NaN propagates. */
FOREBAY_AVX2_FLOATS_FUNCTION forebay_f32x8 forebay_at_least_f32x8(forebay_f32x8 a,
                                                                  forebay_f32x8 low) {
  return _mm256_blendv_ps(a, low, _mm256_cmp_ps(a, low, _CMP_LE_OQ));
}

FOREBAY_AVX2_FLOATS_FUNCTION forebay_f32x8 forebay_at_most_f32x8(forebay_f32x8 a,
                                                                 forebay_f32x8 high) {
  return _mm256_blendv_ps(a, high, _mm256_cmp_ps(a, high, _CMP_GE_OQ));
}

#else

/* Compilers take long for hundreds of copies of these loops in one function. */
#if defined __GNUC__
#define FOREBAY_AVX2_FLOATS_FUNCTION static __attribute__((noinline, unused))
#else
#define FOREBAY_AVX2_FLOATS_FUNCTION static inline
#endif

typedef struct {
  float lanes[8];
} forebay_f32x8;

FOREBAY_AVX2_FLOATS_FUNCTION forebay_f32x8 forebay_load_f32x8(const float *elements) {
  forebay_f32x8 result;
  for (int i = 0; i < 8; ++i) {
    result.lanes[i] = elements[i];
  }
  return result;
}

FOREBAY_AVX2_FLOATS_FUNCTION void forebay_store_f32x8(float *out, forebay_f32x8 value) {
  for (int i = 0; i < 8; ++i) {
    out[i] = value.lanes[i];
  }
}

FOREBAY_AVX2_FLOATS_FUNCTION forebay_f32x8 forebay_splat_f32x8(float element) {
  forebay_f32x8 result;
  for (int i = 0; i < 8; ++i) {
    result.lanes[i] = element;
  }
  return result;
}

FOREBAY_AVX2_FLOATS_FUNCTION forebay_f32x8 forebay_add_f32x8(forebay_f32x8 a, forebay_f32x8 b) {
  for (int i = 0; i < 8; ++i) {
    a.lanes[i] += b.lanes[i];
  }
  return a;
}

FOREBAY_AVX2_FLOATS_FUNCTION forebay_f32x8 forebay_multiply_f32x8(forebay_f32x8 a,
                                                                  forebay_f32x8 b) {
  for (int i = 0; i < 8; ++i) {
    a.lanes[i] *= b.lanes[i];
  }
  return a;
}

FOREBAY_AVX2_FLOATS_FUNCTION forebay_f32x8 forebay_at_least_f32x8(forebay_f32x8 a,
                                                                  forebay_f32x8 low) {
  for (int i = 0; i < 8; ++i) {
    a.lanes[i] = a.lanes[i] <= low.lanes[i] ? low.lanes[i] : a.lanes[i];
  }
  return a;
}

FOREBAY_AVX2_FLOATS_FUNCTION forebay_f32x8 forebay_at_most_f32x8(forebay_f32x8 a,
                                                                 forebay_f32x8 high) {
  for (int i = 0; i < 8; ++i) {
    a.lanes[i] = a.lanes[i] >= high.lanes[i] ? high.lanes[i] : a.lanes[i];
  }
  return a;
}

#endif

#endif /* FOREBAY_AVX2_FLOATS_H */
