"""Tensors that loops carry: which storage a value may share, and the order of the stores into it.

`order` knows no IR: it puts simultaneous stores into a sequence. `aliases` finds the carried
tensors whose storage a value may share. `in_place` decides whether a value is computed in the
storage of its carried tensor. May import `ir.memory` and `ir.assign`.

Internal: may change without notice.
"""

from forebay.ir.carried.aliases import Aliases
from forebay.ir.carried.in_place import is_handed_over, is_in_place
from forebay.ir.carried.order import Save, Step, Store, stores_in_order

__all__ = ["Aliases", "Save", "Step", "Store", "is_handed_over", "is_in_place", "stores_in_order"]
