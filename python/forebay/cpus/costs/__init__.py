"""The model that chooses the blocks of a loop nest: candidates, and what each costs.

Imports the regions of operands and `forebay.cpus.cpu`. Gives `cheapest_blocks` and
`cost_of_blocks`.

Internal: may change without notice.
"""
