/* tiny net: a neural network, compiled by forebay.
   Pools: workspace 64 bytes (workspace), weights 32 bytes (constant).
   tiny_net.json lists every buffer in them. */

#ifndef TINY_NET_H
#define TINY_NET_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Workspace: its contents mean nothing between two inferences. In bytes. */
#define TINY_NET_WORKSPACE_SIZE 64
#define TINY_NET_WORKSPACE_ALIGN 16

/* Constants: part of the image. In bytes. */
#define TINY_NET_WEIGHTS_SIZE 32
#define TINY_NET_WEIGHTS_ALIGN 16

/* Input 'input_1': int8_t [2][3]. real = (q - ZERO_POINT) * SCALE. */
#define TINY_NET_INPUT_1_ELEMENTS 6
#define TINY_NET_INPUT_1_BYTES 6
#define TINY_NET_INPUT_1_RANK 2
#define TINY_NET_INPUT_1_SHAPE {2, 3}
#define TINY_NET_INPUT_1_SCALE 0.5f
#define TINY_NET_INPUT_1_ZERO_POINT (3)

/* Output 'Identity': int8_t [2][4]. real = (q - ZERO_POINT) * SCALE. */
#define TINY_NET_IDENTITY_ELEMENTS 8
#define TINY_NET_IDENTITY_BYTES 8
#define TINY_NET_IDENTITY_RANK 2
#define TINY_NET_IDENTITY_SHAPE {2, 4}
#define TINY_NET_IDENTITY_SCALE 0.25f
#define TINY_NET_IDENTITY_ZERO_POINT (-1)

/* What a call returns. */
typedef enum tiny_net_status {
    TINY_NET_OK = 0, /* the call did what it says */
    TINY_NET_ERROR_NULL = 1, /* a pointer is null */
    TINY_NET_ERROR_ALIGNMENT = 2, /* a pool does not begin at a multiple of its alignment */
    TINY_NET_ERROR_NOT_RESET = 3 /* the state was not reset since power-up */
} tiny_net_status;

/* The name of a status, for logs. */
const char *tiny_net_status_name(tiny_net_status status);

/* Memory that the caller owns. Two threads may run at once, each with
   pools of its own. */
typedef struct tiny_net_pools {
    uint8_t *workspace; /* TINY_NET_WORKSPACE_SIZE bytes, aligned to TINY_NET_WORKSPACE_ALIGN */
} tiny_net_pools;

/* Statically allocated pools (tiny_net_pools.c); leave it out to provide your own. */
extern const tiny_net_pools tiny_net_default_pools;

/* Runs one inference. Inputs are not written; they must not overlap outputs or pools. */
tiny_net_status tiny_net_run(const tiny_net_pools *pools, const int8_t *input_1, int8_t *identity);

#ifdef __cplusplus
}
#endif

#endif /* TINY_NET_H */
