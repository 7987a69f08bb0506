"""Rings: state whose new rows replace the oldest ones, where all readers are sums over the rows.

It imports `forebay.ir` and the constants of `forebay.lowering.padding`, and gives the pass
`memref-pool-shift-state` the windows that need no move (`found.rings_among`) and their rewrite
(`rewrite.keep_in_ring`).

Internal: may change without notice.
"""
