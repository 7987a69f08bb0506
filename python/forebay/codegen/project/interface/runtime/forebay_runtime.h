/* Compiler-dependent macros of the C that forebay generates. They support GCC, Clang, armclang, TI
   and IAR; other compilers with C11 or C++11 lack only FOREBAY_SECTION.

   The file is the same in every project, so one include path serves several networks. For another
   compiler, define the macros on the command line. */
#ifndef FOREBAY_RUNTIME_H
#define FOREBAY_RUNTIME_H

#include <limits.h>
#include <stdint.h>

/* This number changes when generated code needs a newer version of this file. */
#define FOREBAY_RUNTIME_VERSION 1

/* Assumptions of the generated code. */
#if CHAR_BIT != 8
#error "this code needs bytes of 8 bits"
#endif
#if INT_MAX < 2147483647
#error "this code computes in int, which must have 32 bits or more"
#endif
#if (-1 >> 1) != -1
#error "this code needs arithmetic right shifts"
#endif

/* FOREBAY_STATIC_ASSERT(condition, name): a compile-time error if the condition is false. The name
   is an identifier, unique in the file, that describes the condition. */
#if !defined FOREBAY_STATIC_ASSERT
#if defined __cplusplus
#define FOREBAY_STATIC_ASSERT(condition, name) static_assert(condition, #name)
#elif defined __STDC_VERSION__ && __STDC_VERSION__ >= 201112L
#define FOREBAY_STATIC_ASSERT(condition, name) _Static_assert(condition, #name)
#else
#define FOREBAY_STATIC_ASSERT(condition, name) typedef char name[(condition) ? 1 : -1]
#endif
#endif

/* FOREBAY_NOINLINE precedes the definition of a function. The kernel of an operator keeps the
   registers to itself that way. GCC must also know nothing about the function in its callers: the
   interprocedural analysis of GCC 12.2 misses stores of some kernels, and removes the calls. */
#if !defined FOREBAY_NOINLINE && defined __has_attribute
#if __has_attribute(noipa)
#define FOREBAY_NOINLINE __attribute__((noipa))
#endif
#endif
#if !defined FOREBAY_NOINLINE
#if defined __IAR_SYSTEMS_ICC__
#define FOREBAY_NOINLINE _Pragma("inline=never")
#elif defined __GNUC__ || defined __clang__ || defined __ARMCC_VERSION ||                          \
    defined __TI_COMPILER_VERSION__
#define FOREBAY_NOINLINE __attribute__((noinline))
#else
#define FOREBAY_NOINLINE
#endif
#endif

/* FOREBAY_SINGLE_FLOATS precedes the definition of a function whose floats stay single values. The
   vectors of Arm's MVE make zeros of subnormal numbers, and GCC uses them for loops. */
#if !defined FOREBAY_SINGLE_FLOATS
#if defined __ARM_FEATURE_MVE && defined __GNUC__ && !defined __clang__
#define FOREBAY_SINGLE_FLOATS __attribute__((optimize("no-tree-vectorize")))
#else
#define FOREBAY_SINGLE_FLOATS
#endif
#endif

/* FOREBAY_WORD is a type of 32 bits that may alias any other, if the compiler has one.
   FOREBAY_UNALIGNED_WORD is one that may begin at any byte, on a processor that loads it at once.
   FOREBAY_KEEP_LOOP in a loop that copies keeps the compiler from calling memcpy instead. */
#if !defined FOREBAY_WORD && (defined __GNUC__ || defined __clang__)
typedef uint32_t __attribute__((may_alias)) forebay_word;
#define FOREBAY_WORD forebay_word
#if defined __ARM_FEATURE_UNALIGNED
typedef uint32_t __attribute__((may_alias, aligned(1))) forebay_unaligned_word;
#define FOREBAY_UNALIGNED_WORD forebay_unaligned_word
#endif
#define FOREBAY_KEEP_LOOP __asm__ volatile("" ::: "memory")
#endif

/* FOREBAY_ALIGNED(bytes) and FOREBAY_SECTION("name") precede a definition, in this order. */
#if defined __IAR_SYSTEMS_ICC__
#define FOREBAY_PRAGMA(text) _Pragma(#text)
#if !defined FOREBAY_ALIGNED
#define FOREBAY_ALIGNED(bytes) FOREBAY_PRAGMA(data_alignment = bytes)
#endif
#if !defined FOREBAY_SECTION
#define FOREBAY_SECTION(name) FOREBAY_PRAGMA(location = name)
#endif
#elif defined __GNUC__ || defined __clang__ || defined __ARMCC_VERSION ||                          \
    defined __TI_COMPILER_VERSION__
#if !defined FOREBAY_ALIGNED
#define FOREBAY_ALIGNED(bytes) __attribute__((aligned(bytes)))
#endif
/* Older compilers of Arm and TI generate ELF but do not define __ELF__. */
#if !defined FOREBAY_SECTION &&                                                                    \
    (defined __ELF__ || defined __ARMCC_VERSION || defined __TI_COMPILER_VERSION__)
#define FOREBAY_SECTION(name) __attribute__((section(name)))
#endif
#elif !defined FOREBAY_ALIGNED && defined __cplusplus
#define FOREBAY_ALIGNED(bytes) alignas(bytes)
#elif !defined FOREBAY_ALIGNED && defined __STDC_VERSION__ && __STDC_VERSION__ >= 201112L
#define FOREBAY_ALIGNED(bytes) _Alignas(bytes)
#endif

#if !defined FOREBAY_ALIGNED
#error "define FOREBAY_ALIGNED(bytes) as this compiler aligns the variable that is defined next"
#endif
#if !defined FOREBAY_SECTION && !defined __ELF__
/* Section names are those of ELF. Without ELF, the compiler chooses the section of a pool. */
#define FOREBAY_SECTION(name)
#elif !defined FOREBAY_SECTION
#error "define FOREBAY_SECTION(name) as this compiler puts the variable that is defined next there"
#endif

#endif /* FOREBAY_RUNTIME_H */
