/* Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The stack's high-water mark. */
#include "bare_board.h"

#define PATTERN 0xA5A5A5A5u

extern uint32_t stack_start[];

static inline uint32_t *stack_pointer(void) {
  uint32_t *pointer;
#if defined(__riscv)
  __asm__ volatile("mv %0, sp" : "=r"(pointer));
#else
  __asm__ volatile("mov %0, sp" : "=r"(pointer));
#endif
  return pointer;
}

/* A leaf function, so that no stack frame is below its stack pointer; the accesses are volatile so
   that the compiler does not replace the loop by a call to memset. */
void stack_paint(void) {
  volatile uint32_t *const end = stack_pointer();
  for (volatile uint32_t *word = stack_start; word < end; ++word) {
    *word = PATTERN;
  }
}

uint32_t stack_used(void) {
  const uint32_t *const end = stack_pointer();
  const volatile uint32_t *word = stack_start;
  while (word < end && *word == PATTERN) {
    ++word;
  }
  return (uint32_t)((uintptr_t)end - (uintptr_t)word);
}
