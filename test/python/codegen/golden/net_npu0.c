/* What npu0 runs of net. */
#include "net_intrinsics.h"
#include "net_parts.h"
#include "net_weights.h"

#include <limits.h>
#include <stdint.h>

#include "forebay_runtime.h"

/* 1 MUL mul */
void net_mul_1(const int8_t *in, int8_t *out)
{
    npu_scale(in, out, 8, 2, 0);
}
