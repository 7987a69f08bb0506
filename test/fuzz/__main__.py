"""Run a fuzzer: `python test/fuzz NAME [--count N] [--seed S] [--jobs J]`.

Case number S + i is drawn from that number alone: `--seed 1234 --count 1` repeats case 1234.
A run that is interrupted prints what it has counted so far.
"""

import argparse
import importlib
import pkgutil
import signal
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from fuzz.cases import Result, run  # noqa: E402


def main() -> int:
    names = [found.name for found in pkgutil.iter_modules([str(HERE)]) if found.ispkg]
    parser = argparse.ArgumentParser(prog="python test/fuzz", description=__doc__)
    parser.add_argument("name", choices=names)
    parser.add_argument("--count", type=int, help="cases; each fuzzer has its own default")
    parser.add_argument("--seed", type=int, default=1, help="number of the first case")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    arguments = parser.parse_args()
    fuzzer = importlib.import_module(f"fuzz.{arguments.name}")
    count = arguments.count or fuzzer.LONG
    result = Result()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        run(fuzzer.check, count, arguments.seed, arguments.jobs, fuzzer.SECONDS, result=result)
    except KeyboardInterrupt:
        print(result)
        return 130
    print(result)
    return 1 if result.failures else 0


if __name__ == "__main__":
    sys.exit(main())
