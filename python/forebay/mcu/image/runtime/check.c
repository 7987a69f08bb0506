/* Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Comparisons that report the first difference, and the output of the report. */
#include "bare_board.h"

#include <string.h>

void console_hex(uint64_t value) {
  char text[17];
  for (int i = 0; i < 16; ++i) {
    text[i] = "0123456789abcdef"[(value >> (60 - 4 * i)) & 15u];
  }
  text[16] = '\0';
  console_write(text);
}

static void say(const char *what, uint32_t step, uint32_t output, uint64_t value) {
  console_write(what);
  console_hex(step);
  console_write(" ");
  console_hex(output);
  console_write(" ");
  console_hex(value);
  console_write("\n");
}

void report_stack(uint32_t bytes) {
  console_write("stack ");
  console_hex(bytes);
  console_write("\n");
}

void report_pool(uint32_t number, const void *pool, size_t size, size_t start) {
  const uint8_t *const bytes = (const uint8_t *)pool;
  size_t end = size;
  while (end > start && bytes[end - 1] == 0xA5u) {
    --end;
  }
  console_write("pool ");
  console_hex(number);
  console_write(" ");
  console_hex(end);
  console_write("\n");
}

/* Each byte of the pattern depends on its address, so that neither a fill nor a copy keeps it. */
static uint8_t guard_byte(const uint8_t *place) {
  return (uint8_t)(0x5Au ^ (uint32_t)(uintptr_t)place * 37u);
}

void guard_paint(uint8_t *begin, const uint8_t *end) {
  for (uint8_t *place = begin; place != end; ++place) {
    *place = guard_byte(place);
  }
}

static uint32_t guard_changes(const uint8_t *begin, const uint8_t *end) {
  uint32_t changes = 0;
  for (const uint8_t *place = begin; place != end; ++place) {
    changes += *place != guard_byte(place);
  }
  return changes;
}

void report_guard(uint32_t number, const uint8_t *below, const uint8_t *below_end,
                  const uint8_t *above, const uint8_t *above_end) {
  console_write("guard ");
  console_hex(number);
  console_write(" ");
  console_hex((uint32_t)(below_end - below) + (uint32_t)(above_end - above));
  console_write(" ");
  console_hex(guard_changes(below, below_end) + guard_changes(above, above_end));
  console_write("\n");
}

/* 64-bit FNV-1a hash. */
static uint64_t hash_of(const uint8_t *bytes, size_t size) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < size; ++i) {
    hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
  }
  return hash;
}

int check_bytes(uint32_t step, uint32_t output, const void *got, const void *expected, size_t size,
                size_t element_size) {
  const uint8_t *const bytes = got;
  const uint8_t *const wanted = expected;
  say("hash ", step, output, hash_of(bytes, size));
  for (size_t i = 0; i < size; ++i) {
    if (bytes[i] != wanted[i]) {
      say("mismatch ", step, output, i / element_size);
      return 1;
    }
  }
  return 0;
}

int check_floats(uint32_t step, uint32_t output, const float *got, const float *expected,
                 size_t count, float tolerance) {
  say("hash ", step, output, hash_of((const uint8_t *)got, count * sizeof *got));
  for (size_t i = 0; i < count; ++i) {
    const float difference = got[i] - expected[i];
    const int is_near = difference <= tolerance && -difference <= tolerance;
    if (!is_near && memcmp(&got[i], &expected[i], sizeof got[i]) != 0) {
      say("mismatch ", step, output, i);
      return 1;
    }
  }
  return 0;
}
