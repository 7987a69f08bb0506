/* Start of a program on a RISC-V core with Gemmini: no loader, no C library.

   The program ends by HTIF: it writes 2 * code + 1 to tohost, where code is what main returns, or 64 plus
   the cause of a trap. */
    .section .text.start, "ax"
    .globl _start
_start:
    csrr t0, mhartid
    bnez t0, park
    la t0, trap
    csrw mtvec, t0
    /* Let the program use floating-point registers (FS) and the accelerator (XS). */
    li t0, 0x1e000
    csrs mstatus, t0
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, stack_end
    la t0, bss_start
    la t1, bss_end
1:  bgeu t0, t1, 2f
    sd zero, 0(t0)
    addi t0, t0, 8
    j 1b
2:  call main
end:
    slli a0, a0, 1
    ori a0, a0, 1
    fence
    la t0, tohost
    sd a0, 0(t0)
3:  j 3b

    .balign 4
trap:
    csrr a0, mcause
    slli a0, a0, 1
    srli a0, a0, 1
    addi a0, a0, 64
    j end

park:
    wfi
    j park

    .section .tohost, "aw", @progbits
    .balign 64
    .globl tohost
tohost:
    .dword 0
    .balign 64
    .globl fromhost
fromhost:
    .dword 0
