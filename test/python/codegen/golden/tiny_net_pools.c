/* Default pools; leave this file out to provide your own tiny_net_pools. */
#include "tiny_net.h"

/* Alignment and section; define it to choose your own. */
#ifndef TINY_NET_WORKSPACE_ATTRIBUTES
#define TINY_NET_WORKSPACE_ATTRIBUTES \
    __attribute__((aligned(TINY_NET_WORKSPACE_ALIGN)))
#endif
TINY_NET_WORKSPACE_ATTRIBUTES
static uint8_t workspace[TINY_NET_WORKSPACE_SIZE];

const tiny_net_pools tiny_net_default_pools = {workspace};
