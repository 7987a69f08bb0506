#include "tiny_net_weights.h"

#include "tiny_net.h"

/* Alignment and section; define it to choose your own. */
#ifndef TINY_NET_WEIGHTS_ATTRIBUTES
#define TINY_NET_WEIGHTS_ATTRIBUTES \
    __attribute__((aligned(TINY_NET_WEIGHTS_ALIGN)))
#endif

/* The compiler must add no gaps of its own. */
typedef char tiny_net_weights_has_its_size[
    sizeof(tiny_net_weights_layout) == 32 ? 1 : -1];

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
