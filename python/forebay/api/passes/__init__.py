"""Write a pass: its base class, its options, its errors, and queries about pools and buffers.

A file with a class derived from `Pass` is a pass for `--pass`, `forebay.compile(passes=...)` and,
after `register_pass`, for textual pipelines.
"""

from forebay.ir.identity import identity_of
from forebay.ir.machine.pools import bytes_of, candidates_of, pools_in
from forebay.ir.nested import ops_nested_in
from forebay.passes import Pass, PassError, option, register_pass

__all__ = [
    "Pass",
    "PassError",
    "bytes_of",
    "candidates_of",
    "identity_of",
    "ops_nested_in",
    "option",
    "pools_in",
    "register_pass",
]
