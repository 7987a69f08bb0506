/* Constants of tiny net from binary files, because compilers read numbers slowly.
   Define the path of each pool's file for this file and for tiny_net_weights.c, or for neither:
   TINY_NET_WEIGHTS_IMAGE. */
#if defined __ELF__ && defined __linux__
    .section .note.GNU-stack, "", %progbits
#endif
/* The prefix of C's names in assembly is empty (2 - - 1) or an underscore, which counts as 0. */
#if 2 - __USER_LABEL_PREFIX__ - 1 == 3
#define TINY_NET_SYMBOL(name) name
#else
#define TINY_NET_SYMBOL(name) _##name
#endif

#if defined TINY_NET_WEIGHTS_IMAGE && !defined TINY_NET_WEIGHTS_ATTRIBUTES
#if !defined __ELF__ || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "TINY_NET_WEIGHTS_IMAGE needs ELF and a little-endian machine: leave it undefined"
#endif
#ifndef TINY_NET_WEIGHTS_SECTION
#define TINY_NET_WEIGHTS_SECTION ".rodata.tiny_net_weights"
#endif
    .section TINY_NET_WEIGHTS_SECTION, "a", %progbits
    .balign 16
    .globl TINY_NET_SYMBOL(tiny_net_weights)
    .type TINY_NET_SYMBOL(tiny_net_weights), %object
TINY_NET_SYMBOL(tiny_net_weights):
    .incbin TINY_NET_WEIGHTS_IMAGE
    .if . - TINY_NET_SYMBOL(tiny_net_weights) - 32
    .error "the file of TINY_NET_WEIGHTS_IMAGE must have 32 bytes"
    .endif
    .size TINY_NET_SYMBOL(tiny_net_weights), . - TINY_NET_SYMBOL(tiny_net_weights)
#endif
