/* Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Needs -fno-tree-loop-distribute-patterns, else memcpy's loop may become a call of memcpy. */
#include <string.h>

#include <stdint.h>

static int is_word_aligned(const void *a, const void *b) {
  return (((uintptr_t)a | (uintptr_t)b) & 3u) == 0;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  size_t i = 0;
  if (is_word_aligned(to, from)) {
    /* may_alias: the copied objects may have any type. */
    typedef uint32_t __attribute__((may_alias)) word;
    for (; i + 4 <= size; i += 4) {
      *(word *)((uintptr_t)to + i) = *(const word *)((uintptr_t)from + i);
    }
  }
  for (; i < size; ++i) {
    ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
  }
  return to;
}

void *memmove(void *to, const void *from, size_t size) {
  uint8_t *const target = to;
  const uint8_t *const source = from;
  if ((uintptr_t)target <= (uintptr_t)source) {
    for (size_t i = 0; i < size; ++i) {
      target[i] = source[i];
    }
  } else {
    for (size_t i = size; i > 0; --i) {
      target[i - 1] = source[i - 1];
    }
  }
  return to;
}

void *memset(void *to, int value, size_t size) {
  uint8_t *const bytes = to;
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = (uint8_t)value;
  }
  return to;
}

int memcmp(const void *a, const void *b, size_t size) {
  const uint8_t *const left = a;
  const uint8_t *const right = b;
  for (size_t i = 0; i < size; ++i) {
    if (left[i] != right[i]) {
      return left[i] < right[i] ? -1 : 1;
    }
  }
  return 0;
}
