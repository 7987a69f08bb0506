"""Compile one model in this process and print how long each phase took, as JSON.

python benchmarks/compile_once.py MODEL FOLDER    (compile_time.py runs it, once per measurement)
"""

import json
import resource
import sys
import time

import forebay

REFUSED = 2  # exit code of a refusal; any other code except 0 is a crash


def main(model: str, folder: str) -> None:
    """Compile the model to a C project in `folder`."""
    compile_model = forebay.compile  # this access loads the compiler
    cpu_begin = time.process_time()
    compiled = compile_model(model, target="host", io="pool")
    begin = time.perf_counter()
    # Without golden outputs, so without the self-test: they need a run of LLVM's JIT.
    compiled.write(folder, golden=())
    phases = {
        "import": compiled.seconds["import"],
        "passes": sum(compiled.seconds.values()) - compiled.seconds["import"],
        "emission": time.perf_counter() - begin,
        "cpu": time.process_time() - cpu_begin,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(phases))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except forebay.Error as reason:
        print(str(reason).partition(";")[0])
        sys.exit(REFUSED)
