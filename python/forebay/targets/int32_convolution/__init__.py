"""Convolutions on machines that sum int8 products in int32 and leave the rest to the host.

What the targets of such machines share: operators as one kind of layer (`layers`), the conditions
on them, weights in blocks, biases that contain the input's zero point, the loop nest, and TFLite's
requantisation of a tile of sums by the host. This is no target. May import `forebay.api`.

Internal: may change without notice.
"""
