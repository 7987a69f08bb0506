/* Constants of tiny net; only tiny_net.c includes this file. */
#ifndef TINY_NET_WEIGHTS_H
#define TINY_NET_WEIGHTS_H

#include <stdint.h>

typedef struct tiny_net_weights_layout {
    int8_t w[12]; /* offset 0 [4][3] */
    uint8_t gap_at_12[4]; /* offset 12 */
    int32_t b[4]; /* offset 16 [4] */
} tiny_net_weights_layout;

extern const tiny_net_weights_layout tiny_net_weights;

#endif /* TINY_NET_WEIGHTS_H */
