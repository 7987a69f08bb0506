/* gated filter: a neural network, compiled by forebay.

   Memory; gated_filter.json lists every buffer:
       dtcm: workspace, 32 bytes
       sram: workspace, 16 bytes
       flash: constant, 4 bytes in the image
       tables: constant, 8 bytes
       kept: state, 32 bytes
       gated_filter_pools pools = gated_filter_default_pools; or memory of your own
   Once: gated_filter_init(&pools);
   To begin a new sequence: gated_filter_reset(&pools);
   Each inference: gated_filter_run(&pools, samples, sum);

   Several threads may call all functions at the same time, each with its own pools.
   Between two inferences, other networks may use a workspace. */

#ifndef GATED_FILTER_H
#define GATED_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "forebay_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

#if FOREBAY_RUNTIME_VERSION != 1
#error "gated_filter needs version 1 of forebay_runtime.h"
#endif

/* SHA-256 of the model file and of the memory plan; the plan's first 32 bits. */
#define GATED_FILTER_MODEL_HASH "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define GATED_FILTER_PLAN_HASH "e5b81c104d17b1573376584ee6beaf24796292918d5faef6d8eead57ea4864e4"
#define GATED_FILTER_PLAN_ID 0xe5b81c10u

/* Workspace dtcm: its contents are undefined between two inferences. In bytes. */
#define GATED_FILTER_DTCM_SIZE 32
#define GATED_FILTER_DTCM_ALIGN 8

/* Workspace sram: its contents are undefined between two inferences. In bytes. */
#define GATED_FILTER_SRAM_SIZE 16
#define GATED_FILTER_SRAM_ALIGN 16

/* Constants flash: part of the image. In bytes. */
#define GATED_FILTER_FLASH_SIZE 4
#define GATED_FILTER_FLASH_ALIGN 16

/* Constants tables in memory of the application, copied from the image by
   gated_filter_init or gated_filter_load_tables. In bytes. */
#define GATED_FILTER_TABLES_SIZE 8
#define GATED_FILTER_TABLES_ALIGN 16

/* State kept: lasts from inference to inference; init and reset initialise it. In bytes. */
#define GATED_FILTER_KEPT_SIZE 32
#define GATED_FILTER_KEPT_ALIGN 16

/* Input 'samples': int8_t [4]. real = (q - ZERO_POINT) * SCALE. */
#define GATED_FILTER_SAMPLES_ELEMENTS 4
#define GATED_FILTER_SAMPLES_BYTES 4
#define GATED_FILTER_SAMPLES_RANK 1
#define GATED_FILTER_SAMPLES_SHAPE {4}
#define GATED_FILTER_SAMPLES_SCALE 0.0078125f
#define GATED_FILTER_SAMPLES_ZERO_POINT (0)

/* Output 'sum': int32_t [1]. real = (q - ZERO_POINT) * SCALE. */
#define GATED_FILTER_SUM_ELEMENTS 1
#define GATED_FILTER_SUM_BYTES 4
#define GATED_FILTER_SUM_RANK 1
#define GATED_FILTER_SUM_SHAPE {1}
#define GATED_FILTER_SUM_SCALE 0.0009765625f
#define GATED_FILTER_SUM_ZERO_POINT (0)

/* Upper bound of the stack that a call uses, in bytes, without that of device drivers.
   A compiler that makes wide vectors may exceed it. */
#if UINTPTR_MAX > 0xffffffffu
#define GATED_FILTER_STACK_BOUND 976
#else
#define GATED_FILTER_STACK_BOUND 520
#endif

/* What a call returns. If neither OK nor ERROR_DEVICE, the call had no effect. */
typedef enum gated_filter_status {
    GATED_FILTER_OK = 0, /* success */
    GATED_FILTER_ERROR_NULL = 1, /* a pointer is null */
    GATED_FILTER_ERROR_ALIGNMENT = 2, /* a pool does not begin at a multiple of its alignment */
    GATED_FILTER_ERROR_SIZE = 3, /* a pool has fewer bytes than are needed */
    GATED_FILTER_ERROR_NOT_RESET = 4, /* the state was not reset since power-up or ERROR_DEVICE */
    GATED_FILTER_ERROR_NOT_LOADED = 5, /* constants were not loaded into their pool since power-up */
    GATED_FILTER_ERROR_DEVICE = 6 /* a device has returned an error, which ended the call */
} gated_filter_status;

/* The name of a status, for logs: a constant string, for any value. */
const char *gated_filter_status_name(gated_filter_status status);

/* Memory that the caller owns: the address and the size of each pool. */
typedef struct gated_filter_pools {
    uint8_t *dtcm; /* aligned to GATED_FILTER_DTCM_ALIGN */
    size_t dtcm_size; /* in bytes, at least GATED_FILTER_DTCM_SIZE */
    uint8_t *sram; /* aligned to GATED_FILTER_SRAM_ALIGN */
    size_t sram_size; /* in bytes, at least GATED_FILTER_SRAM_SIZE */
    uint8_t *tables; /* aligned to GATED_FILTER_TABLES_ALIGN */
    size_t tables_size; /* in bytes, at least GATED_FILTER_TABLES_SIZE */
    uint8_t *kept; /* aligned to GATED_FILTER_KEPT_ALIGN */
    size_t kept_size; /* in bytes, at least GATED_FILTER_KEPT_SIZE */
} gated_filter_pools;

/* Statically allocated pools (gated_filter_pools.c); leave it out to provide your own. */
extern const gated_filter_pools gated_filter_default_pools;

/* Call once, before the first inference: it calls gated_filter_load_tables, gated_filter_reset. */
gated_filter_status gated_filter_init(const gated_filter_pools *pools);

/* Copies the constants into tables, the only pool that it uses. */
gated_filter_status gated_filter_load_tables(const gated_filter_pools *pools);

/* Initialises the state, as init does. Call it to start a new sequence. */
gated_filter_status gated_filter_reset(const gated_filter_pools *pools);

/* Runs one inference. Inputs that are arguments are not written.
   Arguments must not overlap each other or pools. */
gated_filter_status gated_filter_run(
    const gated_filter_pools *pools,
    const int8_t *samples,
    int32_t *sum);

#ifdef __cplusplus
}
#endif

#endif /* GATED_FILTER_H */
