/* The self-test prints what differs. Without a console nothing is printed; the exit code says it. */
#ifndef BARE_METAL_STDIO_H
#define BARE_METAL_STDIO_H

int printf(const char *format, ...);
int puts(const char *text);

#endif
