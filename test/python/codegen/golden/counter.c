#include "counter.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if COUNTER_PLAN_ID != 0x3c4a76c6u
#error "counter.c and counter.h are of different compilations"
#endif

/* The network, operator by operator. */
static void run_network(uint8_t *kept, uint8_t *workspace)
{
    int32_t *sum = (int32_t *)(void *)(kept + 16);
    const int16_t *x = (const int16_t *)(const void *)workspace; /* [4] */
    int32_t *y = (int32_t *)(void *)(workspace + 32); /* [1] */
    int32_t acc = sum[0];
    for (int32_t i = 0; i < 4; ++i) {
        acc = (int32_t)((uint32_t)acc + (uint32_t)x[i]);
    }
    sum[0] = acc;
    y[0] = acc;
}

/* The state before the first inference. */
static void reset_state(uint8_t *kept)
{
    int32_t *sum = (int32_t *)(void *)(kept + 16);
    sum[0] = 100;
}

/* The first bytes of each state pool after a reset. */
static const uint8_t marker[8] = {0x9a, 0x24, 0xaa, 0x80, 0x16, 0x67, 0x90, 0x5a};

static counter_status check_pools(const counter_pools *pools)
{
    if (pools == NULL || pools->workspace == NULL || pools->kept == NULL) {
        return COUNTER_ERROR_NULL;
    }
    if (pools->workspace_size < COUNTER_WORKSPACE_SIZE) {
        return COUNTER_ERROR_SIZE;
    }
    if ((uintptr_t)pools->workspace % COUNTER_WORKSPACE_ALIGN != 0) {
        return COUNTER_ERROR_ALIGNMENT;
    }
    if (pools->kept_size < COUNTER_KEPT_SIZE) {
        return COUNTER_ERROR_SIZE;
    }
    if ((uintptr_t)pools->kept % COUNTER_KEPT_ALIGN != 0) {
        return COUNTER_ERROR_ALIGNMENT;
    }
    return COUNTER_OK;
}

counter_status counter_reset(const counter_pools *pools)
{
    if (pools == NULL || pools->kept == NULL) {
        return COUNTER_ERROR_NULL;
    }
    if (pools->kept_size < COUNTER_KEPT_SIZE) {
        return COUNTER_ERROR_SIZE;
    }
    if ((uintptr_t)pools->kept % COUNTER_KEPT_ALIGN != 0) {
        return COUNTER_ERROR_ALIGNMENT;
    }
    reset_state(pools->kept);
    (void)memcpy(pools->kept, marker, sizeof marker);
    return COUNTER_OK;
}

counter_status counter_init(const counter_pools *pools)
{
    return counter_reset(pools);
}

counter_status counter_run(const counter_pools *pools)
{
    const counter_status status = check_pools(pools);
    if (status != COUNTER_OK) {
        return status;
    }
    if (memcmp(pools->kept, marker, sizeof marker) != 0) {
        return COUNTER_ERROR_NOT_RESET;
    }
    run_network(pools->kept, pools->workspace);
    return COUNTER_OK;
}

int16_t *counter_x(const counter_pools *pools)
{
    return (int16_t *)(void *)pools->workspace;
}

const int32_t *counter_y(const counter_pools *pools)
{
    return (const int32_t *)(const void *)(pools->workspace + 32);
}

const char *counter_status_name(counter_status status)
{
    static const char *const names[7] = {
        "OK", "ERROR_NULL", "ERROR_ALIGNMENT", "ERROR_SIZE", "ERROR_NOT_RESET", "ERROR_NOT_LOADED",
                "ERROR_DEVICE"};
    return (unsigned)status < 7u ? names[status] : "unknown status";
}
