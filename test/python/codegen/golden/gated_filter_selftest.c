/* Self-test of gated filter. */
#include "gated_filter.h"

#include <stdio.h>
#include <string.h>

static const int8_t step0_samples[GATED_FILTER_SAMPLES_ELEMENTS] = {
    1, -2, 3, 100
};
static const int32_t step0_sum[GATED_FILTER_SUM_ELEMENTS] = {
    -15640
};

static const int8_t step1_samples[GATED_FILTER_SAMPLES_ELEMENTS] = {
    -128, 127, 0, 5
};
static const int32_t step1_sum[GATED_FILTER_SUM_ELEMENTS] = {
    -22800
};

static int32_t got_sum[GATED_FILTER_SUM_ELEMENTS];

static int compare_sum(int step, const int32_t *got, const int32_t *expected)
{
    for (int32_t i = 0; i < GATED_FILTER_SUM_ELEMENTS; ++i) {
        if (got[i] != expected[i]) {
            printf("step %d, output %s: element %ld is %lld, expected %lld\n", step,
                "sum", (long)i, (long long)got[i], (long long)expected[i]);
            return 1;
        }
    }
    return 0;
}

static int run_step0(void)
{
    const gated_filter_status status = gated_filter_run(&gated_filter_default_pools, step0_samples, got_sum);
    if (status != GATED_FILTER_OK) {
        printf("step 0: %s\n", gated_filter_status_name(status));
        return 1;
    }
    int mismatches = 0;
    mismatches += compare_sum(0, got_sum, step0_sum);
    return mismatches;
}

static int run_step1(void)
{
    const gated_filter_status status = gated_filter_run(&gated_filter_default_pools, step1_samples, got_sum);
    if (status != GATED_FILTER_OK) {
        printf("step 1: %s\n", gated_filter_status_name(status));
        return 1;
    }
    int mismatches = 0;
    mismatches += compare_sum(1, got_sum, step1_sum);
    return mismatches;
}

int main(void)
{
    memset(gated_filter_default_pools.dtcm, 0xA5, GATED_FILTER_DTCM_SIZE);
    memset(gated_filter_default_pools.sram, 0xA5, GATED_FILTER_SRAM_SIZE);
    memset(gated_filter_default_pools.tables, 0xA5, GATED_FILTER_TABLES_SIZE);
    memset(gated_filter_default_pools.kept, 0xA5, GATED_FILTER_KEPT_SIZE);
    if (gated_filter_init(&gated_filter_default_pools) != GATED_FILTER_OK) {
        puts("init failed");
        return 1;
    }
    int mismatches = 0;
    mismatches += run_step0();
    mismatches += run_step1();
    puts(mismatches == 0 ? "gated_filter: all outputs are as expected" : "gated_filter: MISMATCH");
    return mismatches == 0 ? 0 : 1;
}
