"""What `mlir-tblgen`'s generated classes import from beside them."""

from mlir.dialects._ods_common import *  # noqa: F403
from mlir.dialects._ods_common import _cext  # noqa: F401
