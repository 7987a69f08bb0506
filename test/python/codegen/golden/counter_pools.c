/* Default pools; leave this file out to provide your own counter_pools. */
#include "counter.h"

/* Alignment and section; define it to choose your own. */
#ifndef COUNTER_WORKSPACE_ATTRIBUTES
#define COUNTER_WORKSPACE_ATTRIBUTES \
    __attribute__((section(".bss.workspace"), aligned(COUNTER_WORKSPACE_ALIGN)))
#endif
COUNTER_WORKSPACE_ATTRIBUTES
static uint8_t workspace[COUNTER_WORKSPACE_SIZE];

/* Alignment and section; define it to choose your own. */
#ifndef COUNTER_KEPT_ATTRIBUTES
#define COUNTER_KEPT_ATTRIBUTES \
    __attribute__((aligned(COUNTER_KEPT_ALIGN)))
#endif
COUNTER_KEPT_ATTRIBUTES
static uint8_t kept[COUNTER_KEPT_SIZE];

const counter_pools counter_default_pools = {workspace, kept};
