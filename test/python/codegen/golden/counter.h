/* counter: a neural network, compiled by forebay.

   Memory; counter.json lists every buffer:
       workspace: workspace, 64 bytes
       kept: state, 32 bytes
       counter_pools pools = counter_default_pools; or memory of your own
   Once: counter_init(&pools);
   To begin a new sequence: counter_reset(&pools);
   Each inference: write counter_x(&pools), then counter_run(&pools); then read counter_y(&pools).

   Several threads may call all functions at the same time, each with its own pools.
   Between two inferences, other networks may use a workspace. */

#ifndef COUNTER_H
#define COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "forebay_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

#if FOREBAY_RUNTIME_VERSION != 1
#error "counter needs version 1 of forebay_runtime.h"
#endif

/* SHA-256 of the model file and of the memory plan; the plan's first 32 bits. */
#define COUNTER_MODEL_HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define COUNTER_PLAN_HASH "3c4a76c6e6fb696c6d10d340f09098757d9bfcd46f0bef849b829fd206301078"
#define COUNTER_PLAN_ID 0x3c4a76c6u

/* Workspace workspace: its contents are undefined between two inferences. In bytes. */
#define COUNTER_WORKSPACE_SIZE 64
#define COUNTER_WORKSPACE_ALIGN 16

/* State kept: lasts from inference to inference; init and reset initialise it. In bytes. */
#define COUNTER_KEPT_SIZE 32
#define COUNTER_KEPT_ALIGN 16

/* Input 'x': int16_t [4].
   8 bytes at offset 0 of workspace. */
#define COUNTER_X_ELEMENTS 4
#define COUNTER_X_BYTES 8
#define COUNTER_X_RANK 1
#define COUNTER_X_SHAPE {4}

/* Output 'y': int32_t [1].
   4 bytes at offset 32 of workspace. */
#define COUNTER_Y_ELEMENTS 1
#define COUNTER_Y_BYTES 4
#define COUNTER_Y_RANK 1
#define COUNTER_Y_SHAPE {1}

/* Upper bound of the stack that a call uses, in bytes, without that of device drivers.
   A compiler that makes wide vectors may exceed it. */
#if UINTPTR_MAX > 0xffffffffu
#define COUNTER_STACK_BOUND 872
#else
#define COUNTER_STACK_BOUND 472
#endif

/* What a call returns. If neither OK nor ERROR_DEVICE, the call had no effect. */
typedef enum counter_status {
    COUNTER_OK = 0, /* success */
    COUNTER_ERROR_NULL = 1, /* a pointer is null */
    COUNTER_ERROR_ALIGNMENT = 2, /* a pool does not begin at a multiple of its alignment */
    COUNTER_ERROR_SIZE = 3, /* a pool has fewer bytes than are needed */
    COUNTER_ERROR_NOT_RESET = 4, /* the state was not reset since power-up or ERROR_DEVICE */
    COUNTER_ERROR_NOT_LOADED = 5, /* constants were not loaded into their pool since power-up */
    COUNTER_ERROR_DEVICE = 6 /* a device has returned an error, which ended the call */
} counter_status;

/* The name of a status, for logs: a constant string, for any value. */
const char *counter_status_name(counter_status status);

/* Memory that the caller owns: the address and the size of each pool. */
typedef struct counter_pools {
    uint8_t *workspace; /* aligned to COUNTER_WORKSPACE_ALIGN */
    size_t workspace_size; /* in bytes, at least COUNTER_WORKSPACE_SIZE */
    uint8_t *kept; /* aligned to COUNTER_KEPT_ALIGN */
    size_t kept_size; /* in bytes, at least COUNTER_KEPT_SIZE */
} counter_pools;

/* Statically allocated pools (counter_pools.c); leave it out to provide your own. */
extern const counter_pools counter_default_pools;

/* Call once, before the first inference: it calls counter_reset. */
counter_status counter_init(const counter_pools *pools);

/* Initialises the state, as init does. Call it to start a new sequence. */
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
