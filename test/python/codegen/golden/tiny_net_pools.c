/* Default pools; leave this file out to provide your own tiny_net_pools. */
#include "tiny_net.h"

#if TINY_NET_PLAN_ID != 0x774b8802u
#error "tiny_net_pools.c and tiny_net.h are of different compilations"
#endif

/* The location of workspace; define either macro to change it. */
#ifndef TINY_NET_WORKSPACE_SECTION
#define TINY_NET_WORKSPACE_SECTION ".bss.tiny_net_workspace"
#endif
#ifndef TINY_NET_WORKSPACE_ATTRIBUTES
#define TINY_NET_WORKSPACE_ATTRIBUTES \
    FOREBAY_ALIGNED(TINY_NET_WORKSPACE_ALIGN) FOREBAY_SECTION(TINY_NET_WORKSPACE_SECTION)
#endif
TINY_NET_WORKSPACE_ATTRIBUTES
static uint8_t workspace[TINY_NET_WORKSPACE_SIZE];

const tiny_net_pools tiny_net_default_pools = {
    workspace, TINY_NET_WORKSPACE_SIZE
};
