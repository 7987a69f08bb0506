#include "gated_filter.h"
#include "gated_filter_weights.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if GATED_FILTER_PLAN_ID != 0xe5b81c10u
#error "gated_filter.c and gated_filter.h are of different compilations"
#endif

/* 0 MUL scaled */
FOREBAY_NOINLINE static void scale_0(uint8_t *dtcm, const gated_filter_tables_layout *tables,
        const int8_t *in)
{
    int32_t *scaled = (int32_t *)(void *)dtcm; /* [4] */
    for (int32_t i = 0; i < 4; ++i) {
        scaled[i] = in[i] * tables->gains[i];
    }
}

/* 1 MUL weighed */
FOREBAY_NOINLINE static void weigh_1(const uint8_t *dtcm, uint8_t *sram,
        const gated_filter_flash_layout *flash)
{
    const int32_t *scaled = (const int32_t *)(const void *)dtcm; /* [4] */
    int32_t *weighed = (int32_t *)(void *)sram; /* [4] */
    for (int32_t i = 0; i < 4; ++i) {
        weighed[i] = (int32_t)((uint32_t)scaled[i] * (uint32_t)flash->weights[i]);
    }
}

/* 2 ADD sum */
FOREBAY_NOINLINE static void add_2(const uint8_t *sram, uint8_t *kept, int32_t *out)
{
    const int32_t *weighed = (const int32_t *)(const void *)sram; /* [4] */
    int32_t *total = (int32_t *)(void *)(kept + 16);
    int32_t acc = total[0];
    for (int32_t i = 0; i < 4; ++i) {
        acc = (int32_t)((uint32_t)acc + (uint32_t)weighed[i]);
    }
    total[0] = acc;
    out[0] = acc;
}

/* The network, operator by operator. */
static void run_network(uint8_t *dtcm, uint8_t *sram, const gated_filter_flash_layout *flash,
        const gated_filter_tables_layout *tables, uint8_t *kept, const int8_t *samples,
        int32_t *sum)
{
    scale_0(dtcm, tables, samples);
    weigh_1(dtcm, sram, flash);
    add_2(sram, kept, sum);
}

/* The state before the first inference. */
static void reset_state(uint8_t *kept)
{
    int32_t *total = (int32_t *)(void *)(kept + 16);
    total[0] = 0;
}

/* The first bytes of each state pool after a reset. */
static const uint8_t marker[8] = {0xe1, 0xb1, 0x91, 0x3a, 0xb0, 0xdf, 0x43, 0x5a};

static gated_filter_status check_pools(const gated_filter_pools *pools)
{
    if (pools == NULL || pools->dtcm == NULL || pools->sram == NULL || pools->tables == NULL ||
            pools->kept == NULL) {
        return GATED_FILTER_ERROR_NULL;
    }
    if (pools->dtcm_size < GATED_FILTER_DTCM_SIZE) {
        return GATED_FILTER_ERROR_SIZE;
    }
    if ((uintptr_t)pools->dtcm % GATED_FILTER_DTCM_ALIGN != 0) {
        return GATED_FILTER_ERROR_ALIGNMENT;
    }
    if (pools->sram_size < GATED_FILTER_SRAM_SIZE) {
        return GATED_FILTER_ERROR_SIZE;
    }
    if ((uintptr_t)pools->sram % GATED_FILTER_SRAM_ALIGN != 0) {
        return GATED_FILTER_ERROR_ALIGNMENT;
    }
    if (pools->tables_size < GATED_FILTER_TABLES_SIZE) {
        return GATED_FILTER_ERROR_SIZE;
    }
    if ((uintptr_t)pools->tables % GATED_FILTER_TABLES_ALIGN != 0) {
        return GATED_FILTER_ERROR_ALIGNMENT;
    }
    if (pools->kept_size < GATED_FILTER_KEPT_SIZE) {
        return GATED_FILTER_ERROR_SIZE;
    }
    if ((uintptr_t)pools->kept % GATED_FILTER_KEPT_ALIGN != 0) {
        return GATED_FILTER_ERROR_ALIGNMENT;
    }
    return GATED_FILTER_OK;
}

gated_filter_status gated_filter_load_tables(const gated_filter_pools *pools)
{
    if (pools == NULL || pools->tables == NULL) {
        return GATED_FILTER_ERROR_NULL;
    }
    if (pools->tables_size < GATED_FILTER_TABLES_SIZE) {
        return GATED_FILTER_ERROR_SIZE;
    }
    if ((uintptr_t)pools->tables % GATED_FILTER_TABLES_ALIGN != 0) {
        return GATED_FILTER_ERROR_ALIGNMENT;
    }
    (void)memcpy(pools->tables, &gated_filter_tables, GATED_FILTER_TABLES_SIZE);
    return GATED_FILTER_OK;
}

gated_filter_status gated_filter_reset(const gated_filter_pools *pools)
{
    if (pools == NULL || pools->kept == NULL) {
        return GATED_FILTER_ERROR_NULL;
    }
    if (pools->kept_size < GATED_FILTER_KEPT_SIZE) {
        return GATED_FILTER_ERROR_SIZE;
    }
    if ((uintptr_t)pools->kept % GATED_FILTER_KEPT_ALIGN != 0) {
        return GATED_FILTER_ERROR_ALIGNMENT;
    }
    reset_state(pools->kept);
    (void)memcpy(pools->kept, marker, sizeof marker);
    return GATED_FILTER_OK;
}

gated_filter_status gated_filter_init(const gated_filter_pools *pools)
{
    gated_filter_status status = gated_filter_load_tables(pools);
    if (status == GATED_FILTER_OK) {
        status = gated_filter_reset(pools);
    }
    return status;
}

gated_filter_status gated_filter_run(
    const gated_filter_pools *pools,
    const int8_t *samples,
    int32_t *sum)
{
    const gated_filter_status status = check_pools(pools);
    if (status != GATED_FILTER_OK) {
        return status;
    }
    if (samples == NULL || sum == NULL) {
        return GATED_FILTER_ERROR_NULL;
    }
    if (memcmp(pools->tables, (const uint8_t *)&gated_filter_tables, 8) != 0) {
        return GATED_FILTER_ERROR_NOT_LOADED;
    }
    if (memcmp(pools->kept, marker, sizeof marker) != 0) {
        return GATED_FILTER_ERROR_NOT_RESET;
    }
    run_network(pools->dtcm, pools->sram, &gated_filter_flash,
            (const gated_filter_tables_layout *)(const void *)pools->tables, pools->kept, samples,
            sum);
    return GATED_FILTER_OK;
}

const char *gated_filter_status_name(gated_filter_status status)
{
    static const char *const names[7] = {
        "OK", "ERROR_NULL", "ERROR_ALIGNMENT", "ERROR_SIZE", "ERROR_NOT_RESET", "ERROR_NOT_LOADED",
                "ERROR_DEVICE"};
    return (unsigned)status < 7u ? names[status] : "unknown status";
}
