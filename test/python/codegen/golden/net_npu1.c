/* The functions of net that run on npu1. */
#include "net.h"
#include "net_intrinsics.h"
#include "net_parts.h"
#include "net_weights.h"

#include <limits.h>
#include <stdint.h>

#if NET_PLAN_ID != 0xf6683b4cu
#error "net_npu1.c and net.h are of different compilations"
#endif

/* 1 MUL mul */
int32_t net_mul_1_2(const int8_t *in, int8_t *out)
{
    return npu_scale(in, out, 8, 1, 1);
}

/* 2 FULLY_CONNECTED dense */
int32_t net_fully_connected_2_2(const int8_t *in, const int8_t *w, int32_t *out)
{
    return npu_dense(in, out, w, 3, 8);
}
