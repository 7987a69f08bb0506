/* The C environment, the same on all boards; the linker script defines the symbols. */
#include "bare_board.h"

#include <string.h>

extern uint8_t data_start[];
extern uint8_t data_end[];
extern const uint8_t data_image[];
extern uint8_t bss_start[];
extern uint8_t bss_end[];

int main(void);

void start(void) {
  memcpy(data_start, data_image, (uintptr_t)data_end - (uintptr_t)data_start);
  memset(bss_start, 0, (uintptr_t)bss_end - (uintptr_t)bss_start);
  board_exit(main());
}

void fault(uint32_t cause, uint32_t address) {
  console_write("fault ");
  console_hex(cause);
  console_write(" ");
  console_hex(address);
  console_write("\n");
  board_exit(EXIT_FAULT);
}
