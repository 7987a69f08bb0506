/* Measures operators: compile a project with -DFOREBAY_HOOKS='"hooks.h"', and link hooks.c. */
#ifndef HOOKS_H
#define HOOKS_H

#include <stdint.h>

void hooks_inference(void);
void hooks_begin(void);
void hooks_end(uint32_t index);

#define FOREBAY_INFERENCE_BEGIN() hooks_inference()
#define FOREBAY_OPERATOR_BEGIN(index) hooks_begin()
#define FOREBAY_OPERATOR_END(index) hooks_end(index)

#endif
