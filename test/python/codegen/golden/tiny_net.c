#include "tiny_net.h"
#include "tiny_net_weights.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if TINY_NET_PLAN_ID != 0x774b8802u
#error "tiny_net.c and tiny_net.h are of different compilations"
#endif

/* apply_scale_double_round for |value| < 2^30 and shift > 31: a product rounded to 32 bits,
   and a shift that rounds halves away from zero. */
static inline int32_t apply_scale_twice(int32_t value, int32_t multiplier, int32_t shift)
{
    const int64_t product = (int64_t)(value * 2) * multiplier + ((int64_t)1 << 31);
    const int32_t high = (int32_t)(product >> 32);
    return (((high + (high >> 31)) >> (shift - 32)) + 1) >> 1;
}

static inline int32_t clamp_i32(int32_t a, int32_t low, int32_t high)
{
    return a < low ? low : a > high ? high : a;
}

/* 0 FULLY_CONNECTED dense/MatMul */
FOREBAY_NOINLINE static void fully_connected_0(const uint8_t *workspace,
        const tiny_net_weights_layout *weights, int8_t *out)
{
    const int8_t *in = (const int8_t *)workspace; /* [2][3] */
    for (int32_t n = 0; n < 2; ++n) {
        for (int32_t c = 0; c < 4; ++c) {
            int32_t acc = weights->b[c];
            for (int32_t k = 0; k < 3; ++k) {
                acc += (in[n * 3 + k] - 3) * weights->w[c * 3 + k];
            }
            const int32_t scaled = apply_scale_twice(acc, 1073741824, 33);
            out[n * 4 + c] = (int8_t)clamp_i32(scaled, -128, 127);
        }
    }
}

/* The network, operator by operator. */
static void run_network(uint8_t *workspace, const tiny_net_weights_layout *weights,
        const int8_t *input_1, int8_t *identity)
{
    int8_t *out = (int8_t *)workspace; /* [2][3] */
    (void)memcpy(out, input_1, 6);
    fully_connected_0(workspace, weights, identity);
}

static tiny_net_status check_pools(const tiny_net_pools *pools)
{
    if (pools == NULL || pools->workspace == NULL) {
        return TINY_NET_ERROR_NULL;
    }
    if (pools->workspace_size < TINY_NET_WORKSPACE_SIZE) {
        return TINY_NET_ERROR_SIZE;
    }
    if ((uintptr_t)pools->workspace % TINY_NET_WORKSPACE_ALIGN != 0) {
        return TINY_NET_ERROR_ALIGNMENT;
    }
    return TINY_NET_OK;
}

tiny_net_status tiny_net_run(const tiny_net_pools *pools, const int8_t *input_1, int8_t *identity)
{
    const tiny_net_status status = check_pools(pools);
    if (status != TINY_NET_OK) {
        return status;
    }
    if (input_1 == NULL || identity == NULL) {
        return TINY_NET_ERROR_NULL;
    }
    run_network(pools->workspace, &tiny_net_weights, input_1, identity);
    return TINY_NET_OK;
}

const char *tiny_net_status_name(tiny_net_status status)
{
    static const char *const names[7] = {
        "OK", "ERROR_NULL", "ERROR_ALIGNMENT", "ERROR_SIZE", "ERROR_NOT_RESET", "ERROR_NOT_LOADED",
                "ERROR_DEVICE"};
    return (unsigned)status < 7u ? names[status] : "unknown status";
}
