/* What npu0 runs of net. */
#include "net_intrinsics.h"
#include "net_parts.h"
#include "net_weights.h"

#include <limits.h>
#include <stdint.h>

#if INT_MAX < 2147483647
#error "this code computes in int, which must have 32 bits or more"
#endif
#if (-1 >> 1) != -1
#error "this code needs arithmetic right shifts"
#endif

/* 1 MUL mul */
void net_mul_1(const int8_t *in, int8_t *out)
{
    npu_scale(in, out, 8, 2, 0);
}
