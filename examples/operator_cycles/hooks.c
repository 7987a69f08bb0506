/* Prints the cycles of each operator for `forebay profile`. Operators that take 2^32 cycles or more
   need a wider counter. */
#include "hooks.h"

#include <stdio.h>

static uint32_t start;

#if defined __ARM_ARCH_7M__ || defined __ARM_ARCH_7EM__ || defined __ARM_ARCH_8M_MAIN__ ||         \
    defined __ARM_ARCH_8_1M_MAIN__
/* Armv7-M and Armv8-M: the cycle counter of the DWT unit. */
#define DEMCR (*(volatile uint32_t *)0xE000EDFCu)
#define DWT_CTRL (*(volatile uint32_t *)0xE0001000u)
#define DWT_CYCCNT (*(volatile uint32_t *)0xE0001004u)

static void start_counter(void)
{
    DEMCR |= 1u << 24;
    DWT_CTRL |= 1u;
}

static uint32_t now(void)
{
    return DWT_CYCCNT;
}
#elif defined __riscv
static void start_counter(void)
{
}

static uint32_t now(void)
{
    uint32_t cycles;
    __asm__ volatile("rdcycle %0" : "=r"(cycles));
    return cycles;
}
#else
/* Elsewhere the processor time of C's standard library. */
#include <time.h>

static void start_counter(void)
{
}

static uint32_t now(void)
{
    return (uint32_t)clock();
}
#endif

void hooks_inference(void)
{
    start_counter();
    printf("forebay-inference\n");
}

void hooks_begin(void)
{
    start = now();
}

void hooks_end(uint32_t index)
{
    const uint32_t taken = now() - start;
    printf("forebay-operator %lu %lu\n", (unsigned long)index, (unsigned long)taken);
}
