/* The functions of string.h that the program uses, without a C library. */
#ifndef BARE_METAL_STRING_H
#define BARE_METAL_STRING_H

#include <stddef.h>

int memcmp(const void *a, const void *b, size_t size);
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

#endif
