/* Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions for a self-test on a board without an operating system: console output and exit by
   semihosting, the stack's high-water mark, and comparisons that report the first difference. */
#ifndef FOREBAY_BARE_BOARD_H
#define FOREBAY_BARE_BOARD_H

#include <stddef.h>
#include <stdint.h>

/* Exit codes of a run. */
enum {
  EXIT_PASSED = 0,
  EXIT_MISMATCH = 1, /* an output differs from the expected one */
  EXIT_REFUSED = 2,  /* the network returned an error */
  EXIT_FAULT = 3     /* the processor took an exception */
};

/* Writes text to the console. */
void console_write(const char *text);

/* Writes 16 hexadecimal digits. */
void console_hex(uint64_t value);

/* Ends the emulation with one of the codes above. */
__attribute__((noreturn)) void board_exit(int code);

/* Reports an exception's cause and address and ends the run; exception handlers call it. */
__attribute__((noreturn)) void fault(uint32_t cause, uint32_t address);

/* Initialises the C environment, runs main and exits; the reset code calls it on a valid stack. */
__attribute__((noreturn)) void start(void);

/* Fills the free part of the stack with a pattern. */
void stack_paint(void);

/* Returns the bytes below the caller's stack pointer that were written since stack_paint. Directly
   after a call, this is the stack that the call used. */
uint32_t stack_used(void);

/* Prints "stack <bytes>". */
void report_stack(uint32_t bytes);

/* Prints "pool <number> <end>": the end of the highest byte in [start, size) that is not 0xA5, with
   which the program has filled the pool; start if there is none. */
void report_pool(uint32_t number, const void *pool, size_t size, size_t start);

/* Fills the bytes [begin, end) next to a pool with a pattern. */
void guard_paint(uint8_t *begin, const uint8_t *end);

/* Prints "guard <number> <bytes> <changed>": how many bytes are below and above a pool, and how many
   of them do not hold the pattern any more. */
void report_guard(uint32_t number, const uint8_t *below, const uint8_t *below_end,
                  const uint8_t *above, const uint8_t *above_end);

/* Prints "hash <step> <output> <FNV-1a>" of the bytes. If they are not the expected ones, prints
   "mismatch <step> <output> <element>" and returns 1. */
int check_bytes(uint32_t step, uint32_t output, const void *got, const void *expected, size_t size,
                size_t element_size);

/* Does the same for floats: they may differ by the tolerance, else their bits must be equal. */
int check_floats(uint32_t step, uint32_t output, const float *got, const float *expected,
                 size_t count, float tolerance);

#endif
