"""The compiled half of Forebay: dialects, the pass adapter and upstream's drivers.

Internal: may change without notice.
"""

import os
import sys

# An extension that was built for another version of MLIR lacks functions. This has to be an error
# of its import, and not an end of the process at a call, also if other libraries are bound lazily.
sys.setdlopenflags(sys.getdlopenflags() & ~os.RTLD_LAZY | os.RTLD_NOW)
