/* Default pools; leave this file out to provide your own counter_pools. */
#include "counter.h"

#if COUNTER_PLAN_ID != 0x3c4a76c6u
#error "counter_pools.c and counter.h are of different compilations"
#endif

/* The location of workspace; define either macro to change it. */
#ifndef COUNTER_WORKSPACE_SECTION
#define COUNTER_WORKSPACE_SECTION ".bss.workspace"
#endif
#ifndef COUNTER_WORKSPACE_ATTRIBUTES
#define COUNTER_WORKSPACE_ATTRIBUTES \
    FOREBAY_ALIGNED(COUNTER_WORKSPACE_ALIGN) FOREBAY_SECTION(COUNTER_WORKSPACE_SECTION)
#endif
COUNTER_WORKSPACE_ATTRIBUTES
static uint8_t workspace[COUNTER_WORKSPACE_SIZE];

/* The location of kept; define either macro to change it. */
#ifndef COUNTER_KEPT_SECTION
#define COUNTER_KEPT_SECTION ".bss.counter_kept"
#endif
#ifndef COUNTER_KEPT_ATTRIBUTES
#define COUNTER_KEPT_ATTRIBUTES \
    FOREBAY_ALIGNED(COUNTER_KEPT_ALIGN) FOREBAY_SECTION(COUNTER_KEPT_SECTION)
#endif
COUNTER_KEPT_ATTRIBUTES
static uint8_t kept[COUNTER_KEPT_SIZE];

const counter_pools counter_default_pools = {
    workspace, COUNTER_WORKSPACE_SIZE,
    kept, COUNTER_KEPT_SIZE
};
