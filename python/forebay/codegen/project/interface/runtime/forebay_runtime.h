/* What differs between compilers, for C that forebay generates: GCC, Clang, armclang, TI, IAR, and
   any with C11 or C++11 for all but sections.

   Every project has this same file, so one include path serves several networks. Each macro may be
   defined on the command line instead, for a compiler that is not known here. */
#ifndef FOREBAY_RUNTIME_H
#define FOREBAY_RUNTIME_H

#include <limits.h>
#include <stdint.h>

/* Changes whenever generated code needs another version of this file. */
#define FOREBAY_RUNTIME_VERSION 1

/* What the code takes for granted. */
#if CHAR_BIT != 8
#error "this code needs bytes of 8 bits"
#endif
#if INT_MAX < 2147483647
#error "this code computes in int, which must have 32 bits or more"
#endif
#if (-1 >> 1) != -1
#error "this code needs arithmetic right shifts"
#endif

/* FOREBAY_STATIC_ASSERT(condition, name): refused by the compiler where the condition is false.
   The name is an identifier, unique in the file, that says what is asked. */
#if !defined FOREBAY_STATIC_ASSERT
#if defined __cplusplus
#define FOREBAY_STATIC_ASSERT(condition, name) static_assert(condition, #name)
#elif defined __STDC_VERSION__ && __STDC_VERSION__ >= 201112L
#define FOREBAY_STATIC_ASSERT(condition, name) _Static_assert(condition, #name)
#else
#define FOREBAY_STATIC_ASSERT(condition, name) typedef char name[(condition) ? 1 : -1]
#endif
#endif

/* FOREBAY_ALIGNED(bytes), FOREBAY_SECTION("name"): stand in this order before a definition. */
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
/* Arm's and TI's older compilers make ELF without saying so. */
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
/* Sections are named as ELF does; on a host without it a pool lies where the compiler puts it. */
#define FOREBAY_SECTION(name)
#elif !defined FOREBAY_SECTION
#error "define FOREBAY_SECTION(name) as this compiler puts the variable that is defined next there"
#endif

#endif /* FOREBAY_RUNTIME_H */
