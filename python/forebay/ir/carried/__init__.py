"""What loops carry on tensors: which storage a value may be in, and how it gets into its own.

`order` knows no IR: it puts stores that happen at once into an order. `aliases` says which carried
tensors a value may share its storage with, `in_place` whether it is computed where it belongs.
"""

from forebay.ir.carried.aliases import Aliases
from forebay.ir.carried.in_place import is_handed_over, is_in_place
from forebay.ir.carried.order import Save, Step, Store, stores_in_order

__all__ = ["Aliases", "Save", "Step", "Store", "is_handed_over", "is_in_place", "stores_in_order"]
