"""Pages that show a plan: one HTML file, opened from disk, without a network.

May import `formats`, `planning`, `errors` and `support`; imports no MLIR. Gives the data of a page
from a memory map or from a plan, the comparison of two plans, and the page itself. The scripts and
styles in `assets` are this project's own, except D3.

Internal: may change without notice.
"""
