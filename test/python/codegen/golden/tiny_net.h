/* tiny net: a neural network, compiled by forebay.

   Memory; tiny_net.json lists every buffer:
       workspace: workspace, 64 bytes
       weights: constant, 32 bytes in the image
       tiny_net_pools pools = tiny_net_default_pools; or memory of your own
   Each inference: tiny_net_run(&pools, input_1, identity);

   Several threads may call all functions at the same time, each with its own pools.
   Between two inferences, other networks may use a workspace. */

#ifndef TINY_NET_H
#define TINY_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "forebay_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

#if FOREBAY_RUNTIME_VERSION != 1
#error "tiny_net needs version 1 of forebay_runtime.h"
#endif

/* SHA-256 of the model file and of the memory plan; the plan's first 32 bits. */
#define TINY_NET_MODEL_HASH "abababababababababababababababababababababababababababababababab"
#define TINY_NET_PLAN_HASH "774b880272dc056a9684c1e148a3a81b6b017a86de95e052674dc509729805dc"
#define TINY_NET_PLAN_ID 0x774b8802u

/* Workspace workspace: its contents are undefined between two inferences. In bytes. */
#define TINY_NET_WORKSPACE_SIZE 64
#define TINY_NET_WORKSPACE_ALIGN 16

/* Constants weights: part of the image. In bytes. */
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

/* Upper bound of the stack that a call uses, in bytes, without that of device drivers.
   A compiler that makes wide vectors may exceed it. */
#if UINTPTR_MAX > 0xffffffffu
#define TINY_NET_STACK_BOUND 976
#else
#define TINY_NET_STACK_BOUND 520
#endif

/* What a call returns. If neither OK nor ERROR_DEVICE, the call had no effect. */
typedef enum tiny_net_status {
    TINY_NET_OK = 0, /* success */
    TINY_NET_ERROR_NULL = 1, /* a pointer is null */
    TINY_NET_ERROR_ALIGNMENT = 2, /* a pool does not begin at a multiple of its alignment */
    TINY_NET_ERROR_SIZE = 3, /* a pool has fewer bytes than are needed */
    TINY_NET_ERROR_NOT_RESET = 4, /* the state was not reset since power-up or ERROR_DEVICE */
    TINY_NET_ERROR_NOT_LOADED = 5, /* constants were not loaded into their pool since power-up */
    TINY_NET_ERROR_DEVICE = 6 /* a device has returned an error, which ended the call */
} tiny_net_status;

/* The name of a status, for logs: a constant string, for any value. */
const char *tiny_net_status_name(tiny_net_status status);

/* Memory that the caller owns: the address and the size of each pool. */
typedef struct tiny_net_pools {
    uint8_t *workspace; /* aligned to TINY_NET_WORKSPACE_ALIGN */
    size_t workspace_size; /* in bytes, at least TINY_NET_WORKSPACE_SIZE */
} tiny_net_pools;

/* Statically allocated pools (tiny_net_pools.c); leave it out to provide your own. */
extern const tiny_net_pools tiny_net_default_pools;

/* Runs one inference. Inputs that are arguments are not written.
   Arguments must not overlap each other or pools. */
tiny_net_status tiny_net_run(const tiny_net_pools *pools, const int8_t *input_1, int8_t *identity);

#ifdef __cplusplus
}
#endif

#endif /* TINY_NET_H */
