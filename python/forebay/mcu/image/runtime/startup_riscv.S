/* Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reset and trap entry of RISC-V processors in machine mode. */
    .option arch, +zicsr

    .section .vectors, "ax"
    .globl reset_handler
reset_handler:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, stack_end
    la t0, trap_handler
    csrw mtvec, t0
    tail start

    /* The handler never returns, so it saves no registers and resets the stack pointer. */
    .text
    .balign 4
trap_handler:
    la sp, stack_end
    csrr a0, mcause
    csrr a1, mepc
    tail fault
