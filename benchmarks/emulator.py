"""Time of a checked inference in the emulator, compared with TFLite Micro.

python benchmarks/emulator.py [NETWORK ...]

Both compute the same input, once to warm up and then in turns. The table has medians, their ratio,
the time to prepare (kernels compiled, memories made), and whether all bits are equal. "values" is a
run that also compares every tensor with the model's, which the interpreter computes in parallel;
"build" is the time to prepare for that. TFLite Micro is the interpreter of the `tflite-micro`
package, without any check. MobileNetV2 must take less than 10 seconds on every target, with all
checks.
"""

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from measurement.networks import Network, networks
from measurement.table import count, figures, seconds
from tflite_micro import runtime

import forebay
from forebay.emulator import EmulatorEngine
from forebay.golden.steps import random_input
from forebay.reports.table import show

TARGETS = ("host", "fetch_conv")
NAMES = ["kws_dscnn_int8", "resnet8_int8", "person_detect_int8", "mobilenetv2_tf2_int8"]
LIMIT = {"mobilenetv2_tf2_int8": 10.0}
ROUNDS = 5
HEAD = [
    *("network", "target", "MACs", "prepare", "checked", "TFLM", "ratio", "build", "values"),
    *("bits", ""),
]


def main() -> int:
    """Print the table; return 1 if a network is too slow or has other bits."""
    rows = [
        _row(network, target)
        for network in networks(sys.argv[1:] or _known())
        for target in TARGETS
    ]
    show([figures(HEAD, rows)])
    print("times in seconds, medians; ratio: checked to TFLM")
    return int(any(row[-1] == "FAIL" for row in rows))


def _known() -> list[str]:
    names = [network.name for network in networks()]
    return [name for name in NAMES if name in names] or names


def _row(network: Network, target: str) -> list[str]:
    compiled = forebay.compile(network.path, target=target)
    (port,) = compiled.inputs
    x = random_input(np.random.default_rng(0), port)
    engine, prepared = _prepared(compiled.emulator)
    comparing, built = _prepared(lambda: compiled.emulator(check_values=True))
    micro = _micro(network)
    same = all(np.array_equal(e.run([x])[0], micro(x)) for e in (engine, comparing))
    runs = [lambda: engine.run([x]), lambda: micro(x), lambda: comparing.run([x])]
    rounds = [[_timed(run) for run in runs] for _ in range(ROUNDS)]
    ours, theirs, compared = (statistics.median(column) for column in zip(*rounds, strict=True))
    is_fine = same and max(ours, compared) < LIMIT.get(network.name, float("inf"))
    return [
        network.name,
        target,
        count(engine.report.macs),
        seconds(prepared),
        seconds(ours),
        seconds(theirs),
        f"{ours / theirs:.2f}",
        seconds(built),
        seconds(compared),
        "equal" if same else "differ",
        "pass" if is_fine else "FAIL",
    ]


def _prepared(make: Callable[[], EmulatorEngine]) -> tuple[EmulatorEngine, float]:
    begin = time.perf_counter()
    engine = make()
    return engine, time.perf_counter() - begin


def _micro(network: Network) -> Callable[[np.ndarray], np.ndarray]:
    interpreter = runtime.Interpreter.from_file(str(network.path))

    def infer(x: np.ndarray) -> np.ndarray:
        interpreter.set_input(x, 0)
        interpreter.invoke()
        return interpreter.get_output(0)

    return infer


def _timed(run: Callable[[], object]) -> float:
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


if __name__ == "__main__":
    sys.exit(main())
