/* Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Console output and exit by Arm semihosting, which the emulator implements. RISC-V uses the same
   operations with its own instruction sequence. */
#include "bare_board.h"

enum { SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20, ADP_STOPPED_APPLICATION_EXIT = 0x20026 };

#if defined(__riscv)
static void semihosting(uintptr_t operation, const void *argument) {
  register uintptr_t a0 __asm__("a0") = operation;
  register const void *a1 __asm__("a1") = argument;
  /* Three uncompressed instructions that must lie in one page. */
  __asm__ volatile(".option push\n"
                   ".option norvc\n"
                   ".balign 16\n"
                   "slli x0, x0, 0x1f\n"
                   "ebreak\n"
                   "srai x0, x0, 7\n"
                   ".option pop\n"
                   : "+r"(a0)
                   : "r"(a1)
                   : "memory");
}
#else
static void semihosting(uintptr_t operation, const void *argument) {
  register uintptr_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}
#endif

void console_write(const char *text) { semihosting(SYS_WRITE0, text); }

void board_exit(int code) {
  const uintptr_t block[2] = {ADP_STOPPED_APPLICATION_EXIT, (uintptr_t)code};
  semihosting(SYS_EXIT_EXTENDED, block);
  for (;;) {
  }
}
