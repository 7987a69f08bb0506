"""Compile one model in this process and print the CPU seconds of each phase, as JSON.

python benchmarks/measurement/compile_once.py MODEL FOLDER [TARGET]    (compile_runs.py runs it)
"""

import json
import resource
import sys
import time

import forebay

REFUSED = 2  # exit code of a refusal; any other code except 0 is a crash


def main(model: str, folder: str, target: str = "host") -> None:
    """Compile the model to a C project in `folder`."""
    begins = [("start", 0.0)]  # the CPU time of a process begins at 0

    def begin(stage: str) -> None:
        begins.append(("import" if stage == "import" else "passes", time.process_time()))

    io = "pool" if target == "host" else "caller"
    compiled = forebay.compile(model, target=target, io=io, progress=begin)
    begins.append(("emission", time.process_time()))
    # Without golden outputs, so without the self-test: they need a run of LLVM's JIT.
    compiled.write(folder, golden=())
    ends = [*(at for _, at in begins[1:]), time.process_time()]
    phases = dict.fromkeys(("start", "import", "passes", "emission"), 0.0)
    for (phase, at), end in zip(begins, ends, strict=True):
        phases[phase] += end - at
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"phases": phases, "peak_mib": peak}))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except forebay.Error as reason:
        print(str(reason).partition(";")[0])
        sys.exit(REFUSED)
