"""The environment of all tests; it must be set before NumPy is loaded."""

import os

# Of OpenBLAS, one thread per process, as in the command (`forebay.process.supervisor`): its threads
# wait in loops for each other, which takes a tenth of the processors' time from the tests.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
