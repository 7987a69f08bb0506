/* Default pools; leave this file out to provide your own gated_filter_pools. */
#include "gated_filter.h"

#if GATED_FILTER_PLAN_ID != 0xe5b81c10u
#error "gated_filter_pools.c and gated_filter.h are of different compilations"
#endif

/* The location of dtcm; define either macro to change it. */
#ifndef GATED_FILTER_DTCM_SECTION
#define GATED_FILTER_DTCM_SECTION ".dtcm"
#endif
#ifndef GATED_FILTER_DTCM_ATTRIBUTES
#define GATED_FILTER_DTCM_ATTRIBUTES \
    FOREBAY_ALIGNED(GATED_FILTER_DTCM_ALIGN) FOREBAY_SECTION(GATED_FILTER_DTCM_SECTION)
#endif
GATED_FILTER_DTCM_ATTRIBUTES
static uint8_t dtcm[GATED_FILTER_DTCM_SIZE];

/* The location of sram; define either macro to change it. */
#ifndef GATED_FILTER_SRAM_SECTION
#define GATED_FILTER_SRAM_SECTION ".bss.gated_filter_sram"
#endif
#ifndef GATED_FILTER_SRAM_ATTRIBUTES
#define GATED_FILTER_SRAM_ATTRIBUTES \
    FOREBAY_ALIGNED(GATED_FILTER_SRAM_ALIGN) FOREBAY_SECTION(GATED_FILTER_SRAM_SECTION)
#endif
GATED_FILTER_SRAM_ATTRIBUTES
static uint8_t sram[GATED_FILTER_SRAM_SIZE];

/* The location of tables; define either macro to change it. */
#ifndef GATED_FILTER_TABLES_SECTION
#define GATED_FILTER_TABLES_SECTION ".bss.gated_filter_tables"
#endif
#ifndef GATED_FILTER_TABLES_ATTRIBUTES
#define GATED_FILTER_TABLES_ATTRIBUTES \
    FOREBAY_ALIGNED(GATED_FILTER_TABLES_ALIGN) FOREBAY_SECTION(GATED_FILTER_TABLES_SECTION)
#endif
GATED_FILTER_TABLES_ATTRIBUTES
static uint8_t tables[GATED_FILTER_TABLES_SIZE];

/* The location of kept; define either macro to change it. */
#ifndef GATED_FILTER_KEPT_SECTION
#define GATED_FILTER_KEPT_SECTION ".bss.gated_filter_kept"
#endif
#ifndef GATED_FILTER_KEPT_ATTRIBUTES
#define GATED_FILTER_KEPT_ATTRIBUTES \
    FOREBAY_ALIGNED(GATED_FILTER_KEPT_ALIGN) FOREBAY_SECTION(GATED_FILTER_KEPT_SECTION)
#endif
GATED_FILTER_KEPT_ATTRIBUTES
static uint8_t kept[GATED_FILTER_KEPT_SIZE];

const gated_filter_pools gated_filter_default_pools = {
    dtcm, GATED_FILTER_DTCM_SIZE,
    sram, GATED_FILTER_SRAM_SIZE,
    tables, GATED_FILTER_TABLES_SIZE,
    kept, GATED_FILTER_KEPT_SIZE
};
