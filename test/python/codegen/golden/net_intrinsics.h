/* The functions of devices that net calls: link a driver that defines them.
   net_reference.c defines them in portable C. */
#ifndef NET_INTRINSICS_H
#define NET_INTRINSICS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* @npu0.scale of npu0:
   x: read, in l2_mem, act_mem, wei_mem, aligned to 16
   y: written, in act_mem, aligned to 16 */
/* @npu1.scale of npu1:
   x: read, in act_mem, wei_mem, aligned to 16
   y: written, in act_mem */
int32_t npu_scale(const int8_t *x, int8_t *y, int32_t count, int32_t numerator, int32_t shift);

/* @npu1.dense of npu1:
   x: read, in act_mem
   sum: read and written, in act_mem
   w: read, in wei_mem */
int32_t npu_dense(const int8_t *x, int32_t *sum, const int8_t *w, int32_t rows, int32_t columns);

#ifdef __cplusplus
}
#endif

#endif /* NET_INTRINSICS_H */
