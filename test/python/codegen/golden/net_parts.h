/* Functions of net that one of its source files calls in another. */
#ifndef NET_PARTS_H
#define NET_PARTS_H

#include "net_weights.h"

#include <stdbool.h>
#include <stdint.h>

int32_t net_mul_1(const int8_t *in, int8_t *out);

int32_t net_mul_1_2(const int8_t *in, int8_t *out);

int32_t net_fully_connected_2_2(const int8_t *in, const int8_t *w, int32_t *out);

#endif /* NET_PARTS_H */
