/* The functions of devices that net calls, in portable C. */
#include "net_intrinsics.h"

#include <limits.h>
#include <stdint.h>

#include "forebay_runtime.h"

int32_t npu_scale(const int8_t *x, int8_t *y, int32_t count, int32_t numerator, int32_t shift)
{
    for (int32_t i = 0; i < count; ++i) {
        y[i] = (int8_t)((int32_t)((uint32_t)x[i] * (uint32_t)numerator) >> shift);
    }
    return 0;
}

int32_t npu_dense(const int8_t *x, int32_t *sum, const int8_t *w, int32_t rows, int32_t columns)
{
    for (int32_t i = 0; i < rows; ++i) {
        const int32_t in_i = i * columns;
        int32_t acc = sum[i];
        for (int32_t i2 = 0; i2 < columns; ++i2) {
            acc += w[in_i + i2] * x[i2];
        }
        sum[i] = acc;
    }
    return 0;
}
