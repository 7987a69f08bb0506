/* counter: a neural network, compiled by forebay.
   Pools: workspace 64 bytes (workspace), kept 32 bytes (state).
   counter.json lists every buffer in them. */

#ifndef COUNTER_H
#define COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Workspace: its contents mean nothing between two inferences. In bytes. */
#define COUNTER_WORKSPACE_SIZE 64
#define COUNTER_WORKSPACE_ALIGN 16

/* State: lives across inferences, initialised by reset. In bytes. */
#define COUNTER_KEPT_SIZE 32
#define COUNTER_KEPT_ALIGN 16

/* Input 'x': int16_t [4]. */
#define COUNTER_X_ELEMENTS 4
#define COUNTER_X_BYTES 8
#define COUNTER_X_RANK 1
#define COUNTER_X_SHAPE {4}

/* Output 'y': int32_t [1]. */
#define COUNTER_Y_ELEMENTS 1
#define COUNTER_Y_BYTES 4
#define COUNTER_Y_RANK 1
#define COUNTER_Y_SHAPE {1}

/* What a call returns. */
typedef enum counter_status {
    COUNTER_OK = 0, /* the call did what it says */
    COUNTER_ERROR_NULL = 1, /* a pointer is null */
    COUNTER_ERROR_ALIGNMENT = 2, /* a pool does not begin at a multiple of its alignment */
    COUNTER_ERROR_NOT_RESET = 3 /* the state was not reset since power-up */
} counter_status;

/* The name of a status, for logs. */
const char *counter_status_name(counter_status status);

/* Memory that the caller owns. Two threads may run at once, each with
   pools of its own. */
typedef struct counter_pools {
    uint8_t *workspace; /* COUNTER_WORKSPACE_SIZE bytes, aligned to COUNTER_WORKSPACE_ALIGN */
    uint8_t *kept; /* COUNTER_KEPT_SIZE bytes, aligned to COUNTER_KEPT_ALIGN */
} counter_pools;

/* Statically allocated pools (counter_pools.c); leave it out to provide your own. */
extern const counter_pools counter_default_pools;

/* Initialises the state: before the first inference, and to start a new sequence. */
counter_status counter_reset(const counter_pools *pools);

/* Runs one inference. */
counter_status counter_run(const counter_pools *pools);

/* Write this input before a run:
   COUNTER_X_ELEMENTS elements inside a pool; no run overwrites them. */
int16_t *counter_x(const counter_pools *pools);

/* Read this output after a run:
   COUNTER_Y_ELEMENTS elements inside a pool. */
const int32_t *counter_y(const counter_pools *pools);

#ifdef __cplusplus
}
#endif

#endif /* COUNTER_H */
