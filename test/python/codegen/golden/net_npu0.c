/* The functions of net that run on npu0. */
#include "net.h"
#include "net_intrinsics.h"
#include "net_parts.h"
#include "net_weights.h"

#include <limits.h>
#include <stdint.h>

#if NET_PLAN_ID != 0xf6683b4cu
#error "net_npu0.c and net.h are of different compilations"
#endif

/* 1 MUL mul */
int32_t net_mul_1(const int8_t *in, int8_t *out)
{
    return npu_scale(in, out, 8, 2, 0);
}
