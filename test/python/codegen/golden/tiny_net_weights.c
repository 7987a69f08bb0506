#include "tiny_net_weights.h"

#include "tiny_net.h"

#if TINY_NET_PLAN_ID != 0x774b8802u
#error "tiny_net_weights.c and tiny_net.h are of different compilations"
#endif

/* The compiler must not add padding. */
FOREBAY_STATIC_ASSERT(sizeof(tiny_net_weights_layout) == 32,
    tiny_net_weights_has_its_size);

#if !(defined TINY_NET_WEIGHTS_IMAGE && !defined TINY_NET_WEIGHTS_ATTRIBUTES) /* else tiny_net_weights_incbin.S defines it */
/* The location of weights; define either macro to change it. */
#ifndef TINY_NET_WEIGHTS_SECTION
#define TINY_NET_WEIGHTS_SECTION ".rodata.tiny_net_weights"
#endif
#ifndef TINY_NET_WEIGHTS_ATTRIBUTES
#define TINY_NET_WEIGHTS_ATTRIBUTES \
    FOREBAY_ALIGNED(TINY_NET_WEIGHTS_ALIGN) FOREBAY_SECTION(TINY_NET_WEIGHTS_SECTION)
#endif
TINY_NET_WEIGHTS_ATTRIBUTES
const tiny_net_weights_layout tiny_net_weights = {
    /* w */
    {
        1, 2, 3, 4, -5, 6, 7, 8, 9, 10, 11, 127
    },
    /* gap_at_12 */
    {0},
    /* b */
    {
        100, -200, 300, 4
    },
};
#endif
