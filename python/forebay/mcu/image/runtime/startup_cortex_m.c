/* Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Vector table and reset of ARMv7E-M and ARMv8-M processors. */
#include "bare_board.h"

extern uint32_t stack_start[];
extern uint32_t stack_end[];

void reset_handler(void);
void fault_handler(void);
void report_exception(uint32_t exception, const uint32_t *frame);

typedef union vector {
  void (*handler)(void);
  uint32_t *stack;
} vector;

enum {
  INITIAL_STACK = 0,
  RESET = 1,
  NMI = 2,
  HARD_FAULT = 3, /* faults that are not enabled escalate to it */
  MEM_MANAGE = 4,
  BUS_FAULT = 5,
  USAGE_FAULT = 6,
  SECURE_FAULT = 7,
  SV_CALL = 11,
  DEBUG_MONITOR = 12,
  PEND_SV = 14,
  SYS_TICK = 15,
  VECTORS = 16
};

/* Interrupts stay disabled, so the table contains only the system exceptions. */
__attribute__((section(".vectors"), used)) static const vector vectors[VECTORS] = {
    [INITIAL_STACK] = {.stack = stack_end},     [RESET] = {.handler = reset_handler},
    [NMI] = {.handler = fault_handler},         [HARD_FAULT] = {.handler = fault_handler},
    [MEM_MANAGE] = {.handler = fault_handler},  [BUS_FAULT] = {.handler = fault_handler},
    [USAGE_FAULT] = {.handler = fault_handler}, [SECURE_FAULT] = {.handler = fault_handler},
    [SV_CALL] = {.handler = fault_handler},     [DEBUG_MONITOR] = {.handler = fault_handler},
    [PEND_SV] = {.handler = fault_handler},     [SYS_TICK] = {.handler = fault_handler},
};

void reset_handler(void) {
#if defined(__ARM_FP)
  /* Enable coprocessors 10 and 11 before the first floating-point instruction. */
  volatile uint32_t *const cpacr = (volatile uint32_t *)0xE000ED88u;
  *cpacr |= 0xFu << 20;
  __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
#if __ARM_ARCH >= 8
  /* A push below the stack's end is a UsageFault. */
  __asm__ volatile("msr msplim, %0" ::"r"(stack_start));
#endif
  start();
}

/* Words 6 and 7 of the frame are the return address and the program status. After a stack overflow
   there is no frame. */
void report_exception(uint32_t exception, const uint32_t *frame) {
#if __ARM_ARCH >= 8
  const volatile uint32_t *const cfsr = (const volatile uint32_t *)0xE000ED28u;
  const uint32_t stack_overflow = 1u << 20;
  if ((*cfsr & stack_overflow) != 0) {
    console_write("overflow\n");
    board_exit(EXIT_FAULT);
  }
#endif
  fault(exception, frame[6]);
}

/* Exceptions use the main stack. The handler never returns, so it resets the stack pointer. */
__attribute__((naked)) void fault_handler(void) {
  __asm__ volatile("mrs r0, ipsr\n\t"
                   "mov r1, sp\n\t"
                   "movw r2, #:lower16:stack_end\n\t"
                   "movt r2, #:upper16:stack_end\n\t"
                   "mov sp, r2\n\t"
                   "b report_exception");
}
