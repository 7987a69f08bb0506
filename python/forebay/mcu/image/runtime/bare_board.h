/* What a self-test needs of a board without an operating system: a console and an exit by
   semihosting, the stack's high-water mark, and comparisons that say where they failed. */
#ifndef FOREBAY_BARE_BOARD_H
#define FOREBAY_BARE_BOARD_H

#include <stddef.h>
#include <stdint.h>

/* How a run ends. */
enum {
  EXIT_PASSED = 0,
  EXIT_MISMATCH = 1, /* an output is another */
  EXIT_REFUSED = 2,  /* the network returned an error */
  EXIT_FAULT = 3     /* the processor took an exception */
};

/* Writes text to the console. */
void console_write(const char *text);

/* Writes 16 hexadecimal digits. */
void console_hex(uint64_t value);

/* Ends the emulation with one of the codes above. */
__attribute__((noreturn)) void board_exit(int code);

/* Called by the exception handlers: says where the processor was, and ends. */
__attribute__((noreturn)) void fault(uint32_t cause, uint32_t address);

/* Called by the reset code on a valid stack: makes the C environment, runs main, ends. */
__attribute__((noreturn)) void start(void);

/* Fills the free part of the stack with a pattern. */
void stack_paint(void);

/* Bytes below the caller's stack pointer that were written since stack_paint: called right behind
   a call, what that call took. */
uint32_t stack_used(void);

/* Prints "stack <bytes>". */
void report_stack(uint32_t bytes);

/* Prints "hash <step> <output> <FNV-1a>" of the bytes; where they are others than expected, prints
   "mismatch <step> <output> <element>" and returns 1. */
int check_bytes(uint32_t step, uint32_t output, const void *got, const void *expected, size_t size,
                size_t element_size);

/* The same for floats, which may differ by the tolerance or must have the same bits. */
int check_floats(uint32_t step, uint32_t output, const float *got, const float *expected,
                 size_t count, float tolerance);

#endif
