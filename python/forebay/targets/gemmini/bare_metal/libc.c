/* What the program and the compiler need of a C library. */
#include "stdio.h"
#include "string.h"

#include <stdint.h>

int printf(const char *format, ...) {
  (void)format;
  return 0;
}

int puts(const char *text) {
  (void)text;
  return 0;
}

int memcmp(const void *a, const void *b, size_t size) {
  const uint8_t *x = a, *y = b;
  for (size_t i = 0; i < size; ++i) {
    if (x[i] != y[i]) {
      return x[i] < y[i] ? -1 : 1;
    }
  }
  return 0;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  uint8_t *target = to;
  const uint8_t *source = from;
  for (size_t i = 0; i < size; ++i) {
    target[i] = source[i];
  }
  return to;
}

void *memmove(void *to, const void *from, size_t size) {
  uint8_t *target = to;
  const uint8_t *source = from;
  if ((uintptr_t)target < (uintptr_t)source) {
    return memcpy(to, from, size);
  }
  while (size > 0) {
    --size;
    target[size] = source[size];
  }
  return to;
}

void *memset(void *to, int value, size_t size) {
  uint8_t *target = to;
  for (size_t i = 0; i < size; ++i) {
    target[i] = (uint8_t)value;
  }
  return to;
}
