/* Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Initialisation of the C environment, for all boards; the linker script defines the symbols. */
#include "bare_board.h"

#include <string.h>

extern uint8_t data_start[];
extern uint8_t data_end[];
extern const uint8_t data_image[];

/* Memory that must be zero at the start of the program; the size is in bytes. */
typedef struct zeroed {
  uint8_t *start;
  uint32_t size;
} zeroed;

extern const zeroed zero_table[];
extern const zeroed zero_table_end[];

int main(void);

void start(void) {
  memcpy(data_start, data_image, (uintptr_t)data_end - (uintptr_t)data_start);
  for (const zeroed *it = zero_table; it != zero_table_end; ++it) {
    memset(it->start, 0, it->size);
  }
  const int code = main();
  console_write("\nexit ");
  console_hex((uint32_t)code);
  console_write("\n");
  board_exit(code);
}

void fault(uint32_t cause, uint32_t address) {
  console_write("fault ");
  console_hex(cause);
  console_write(" ");
  console_hex(address);
  console_write("\n");
  board_exit(EXIT_FAULT);
}
