#include "net.h"
#include "net_parts.h"
#include "net_weights.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if NET_PLAN_ID != 0xf6683b4cu
#error "net.c and net.h are of different compilations"
#endif

static inline int32_t max_i32(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Reports an error to the caller, unless `error` is null. */
static int32_t failed(net_device_error *error, int32_t code, const char *device,
        const char *where)
{
    if (error != NULL) {
        error->code = code;
        error->device = device;
        error->where = where;
    }
    return code;
}

/* 0 ADD add */
FOREBAY_NOINLINE static void add_0(const int8_t *in, int8_t *out)
{
    for (int32_t i = 0; i < 8; ++i) {
        out[i] = (int8_t)(in[i] + 1);
    }
}

/* 2 FULLY_CONNECTED dense */
FOREBAY_NOINLINE static void fully_connected_2(int32_t *out)
{
    for (int32_t i = 0; i < 3; ++i) {
        out[i] = 0;
    }
}

/* 3 RELU relu */
FOREBAY_NOINLINE static void relu_3(const int32_t *in, int32_t *out)
{
    for (int32_t i = 0; i < 3; ++i) {
        out[i] = max_i32(in[i], 0);
    }
}

/* The network, operator by operator. */
static int32_t run_network(uint8_t *l2_mem, uint8_t *act_mem, const net_wei_mem_layout *wei_mem,
        const int8_t *x, int32_t *y, net_device_error *error)
{
    int8_t *add_0_out = (int8_t *)l2_mem; /* [8] */
    add_0(x, add_0_out);
    int8_t *mul_1_out = (int8_t *)act_mem; /* [8] */
    int32_t code = net_mul_1(add_0_out, mul_1_out);
    if (code != 0) {
        return failed(error, code, "npu0", "1 MUL mul");
    }
    int8_t *mul_1_out2 = (int8_t *)(act_mem + 16); /* [8] */
    code = net_mul_1_2(mul_1_out, mul_1_out2);
    if (code != 0) {
        return failed(error, code, "npu1", "1 MUL mul");
    }
    int32_t *fully_connected_2_out = (int32_t *)(void *)act_mem; /* [3] */
    fully_connected_2(fully_connected_2_out);
    code = net_fully_connected_2_2(mul_1_out2, wei_mem->fully_connected_2_2_w,
            fully_connected_2_out);
    if (code != 0) {
        return failed(error, code, "npu1", "2 FULLY_CONNECTED dense");
    }
    relu_3(fully_connected_2_out, y);
    return 0;
}

static net_status check_pools(const net_pools *pools)
{
    if (pools == NULL || pools->l2_mem == NULL || pools->act_mem == NULL || pools->wei_mem ==
            NULL) {
        return NET_ERROR_NULL;
    }
    if (pools->l2_mem_size < NET_L2_MEM_SIZE) {
        return NET_ERROR_SIZE;
    }
    if ((uintptr_t)pools->l2_mem % NET_L2_MEM_ALIGN != 0) {
        return NET_ERROR_ALIGNMENT;
    }
    if (pools->act_mem_size < NET_ACT_MEM_SIZE) {
        return NET_ERROR_SIZE;
    }
    if ((uintptr_t)pools->act_mem % NET_ACT_MEM_ALIGN != 0) {
        return NET_ERROR_ALIGNMENT;
    }
    if (pools->wei_mem_size < NET_WEI_MEM_SIZE) {
        return NET_ERROR_SIZE;
    }
    if ((uintptr_t)pools->wei_mem % NET_WEI_MEM_ALIGN != 0) {
        return NET_ERROR_ALIGNMENT;
    }
    return NET_OK;
}

net_status net_load_wei_mem(const net_pools *pools)
{
    if (pools == NULL || pools->wei_mem == NULL) {
        return NET_ERROR_NULL;
    }
    if (pools->wei_mem_size < NET_WEI_MEM_SIZE) {
        return NET_ERROR_SIZE;
    }
    if ((uintptr_t)pools->wei_mem % NET_WEI_MEM_ALIGN != 0) {
        return NET_ERROR_ALIGNMENT;
    }
    (void)memcpy(pools->wei_mem, &net_wei_mem, NET_WEI_MEM_SIZE);
    return NET_OK;
}

net_status net_init(const net_pools *pools)
{
    return net_load_wei_mem(pools);
}

net_status net_run(const net_pools *pools, const int8_t *x, int32_t *y, net_device_error *error)
{
    const net_status status = check_pools(pools);
    if (status != NET_OK) {
        return status;
    }
    if (x == NULL || y == NULL) {
        return NET_ERROR_NULL;
    }
    if (run_network(pools->l2_mem, pools->act_mem,
            (const net_wei_mem_layout *)(const void *)pools->wei_mem, x, y, error) != 0) {
        return NET_ERROR_DEVICE;
    }
    return NET_OK;
}

const char *net_status_name(net_status status)
{
    static const char *const names[7] = {
        "OK", "ERROR_NULL", "ERROR_ALIGNMENT", "ERROR_SIZE", "ERROR_NOT_RESET", "ERROR_NOT_LOADED",
                "ERROR_DEVICE"};
    return (unsigned)status < 7u ? names[status] : "unknown status";
}
