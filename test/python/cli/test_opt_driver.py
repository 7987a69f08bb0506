"""Python passes are passes like any other: options, nesting, scheduling, diagnostics, threads."""

import subprocess
import sys
from pathlib import Path

import pytest

DRIVER = Path(__file__).parents[2] / "common" / "opt_driver.py"


def opt(source: str, *flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(DRIVER), "--allow-unregistered-dialect", *flags],
        input=source,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


FUNCTION = "func.func @f() {\n  return\n}\n"


@pytest.mark.parametrize(
    ("given", "seen"),
    [
        ("", "(False, 3, 'word', (), 'left', 'NORMAL', 64, None, ())"),
        ("flag", "(True, 3, 'word', (), 'left', 'NORMAL', 64, None, ())"),
        (
            "flag=true the-count=-7 text=a-b items=x,y side=right effort=low size=2K file=a/b "
            "pools=x=p,y=p+q",
            "(True, -7, 'a-b', ('x', 'y'), 'right', 'LOW', 2048, PosixPath('a/b'), "
            "(('x', ('p',)), ('y', ('p', 'q'))))",
        ),
    ],
)
def test_options_are_typed(given: str, seen: str) -> None:
    for flags in (
        [f"--test-options={given}" if given else "--test-options"],
        [f"--pass-pipeline=builtin.module(test-options{{{given}}})"],
    ):
        result = opt(FUNCTION, *flags)
        assert result.returncode == 0, result.stderr
        assert f'test.options = "{seen}"' in result.stdout


def test_a_printed_pipeline_parses_back_to_the_same() -> None:
    pipeline = (
        "builtin.module(test-options{flag=true items=x,y text=w the-count=5},"
        "func.func(test-visit,cse),test-any)"
    )
    flags = ("--dump-pass-pipeline", f"--pass-pipeline={pipeline}")
    printed = "".join(line.strip() for line in opt(FUNCTION, *flags).stderr.splitlines())
    again = opt(FUNCTION, "--dump-pass-pipeline", "--pass-pipeline=" + printed.split(":", 1)[1])
    assert "the-count=5" in printed
    assert "flag=true" in printed
    assert "items={x,y}" in printed
    assert "".join(line.strip() for line in again.stderr.splitlines()) == printed


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        *(
            (f"{start}{name}={value}{end}", f"option '{name}' of pass 'test-options' is {allowed}")
            for name, value, allowed in (
                ("the-count", "many", "a number of -9 or more, not 'many'"),
                ("the-count", "-10", "a number of -9 or more, not -10"),
                ("side", "up", "'left' or 'right', not 'up'"),
                ("effort", "LOW", "'low', 'normal' or 'high', not 'LOW'"),
                ("size", "2KB", "a number of bytes: 65536, 0x10000, 64K or 64KiB, not '2KB'"),
                ("pools", "x", "NAME=VALUE or NAME=VALUE+VALUE, not 'x'"),
            )
            for start, end in (
                ("--test-options=", ""),
                ("--pass-pipeline=builtin.module(test-options{", "})"),
            )
        ),
        ("--test-options=no-such=1", "no such option no-such; its options: flag, the-count, "),
        ("--pass-pipeline=builtin.module(func.func(test-options))", "restricted to"),
        ("--pass-pipeline=builtin.module(test-nothing)", "does not refer to a registered pass"),
    ],
)
def test_a_wrong_pipeline_is_refused(flag: str, message: str) -> None:
    result = opt(FUNCTION, flag)
    assert result.returncode != 0
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_pass_without_an_anchor_runs_anywhere() -> None:
    result = opt(FUNCTION, "--pass-pipeline=builtin.module(test-any,func.func(test-any))")
    assert result.stdout.count("test.any") == 2, result.stderr


def test_a_pass_may_create_operations_of_the_dialects_it_names() -> None:
    assert "emitc.verbatim" in opt(FUNCTION, "--test-create").stdout


def test_upstream_flags_serve_python_passes() -> None:
    result = opt(FUNCTION, "--test-options", "--mlir-print-ir-after=test-options", "--mlir-timing")
    assert "IR Dump After test-options" in result.stderr
    assert "Execution time report" in result.stderr
    assert "Reports its options as an attribute." in opt("", "--help").stdout
    assert "a number" in opt("", "--help").stdout


def test_a_refusal_is_a_diagnostic_at_the_operation() -> None:
    result = opt(FUNCTION, "--pass-pipeline=builtin.module(func.func(test-raise))")
    assert result.returncode == 1
    assert "<stdin>:2:3: error: not this one" in result.stderr
    assert "<stdin>:1:1: note: in this function" in result.stderr


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("crash", "pass 'test-raise' failed: KeyError: 'lost'"),
        ("invalid", "in pass 'test-raise': "),
    ],
)
def test_no_exception_becomes_a_traceback(how: str, message: str) -> None:
    pipeline = f"--pass-pipeline=builtin.module(func.func(test-raise{{how={how}}}))"
    result = opt(FUNCTION, pipeline)
    assert result.returncode == 1
    assert message in result.stderr
    assert "Traceback" not in result.stderr


BREAK = """
import sys
from forebay.cli.opt import main
from forebay.passes.plan import memref_pool_plan

memref_pool_plan.extract_problem = None
sys.argv[0] = "forebay-opt"
main()
"""


def test_an_exception_of_a_pass_of_ours_is_a_bug() -> None:
    for flags in ([], ["--debug"]):
        command = [sys.executable, "-c", BREAK, "--memref-pool-plan", *flags]
        done = subprocess.run(
            command, input=FUNCTION, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 70
        what = "this is a bug of Forebay: pass 'memref-pool-plan' failed: TypeError: 'NoneType'"
        assert f"<stdin>:0:0: error: {what}" in done.stderr
        *_, last = done.stderr.splitlines()
        assert last.startswith(f"forebay-opt: error: {what}")
        assert last.endswith("and what 'forebay doctor' prints")
        assert ("Traceback" in done.stderr) == bool(flags)
        assert ("the traceback that --debug shows" in last) != bool(flags)


def test_debug_shows_the_traceback_of_an_exception_in_user_code() -> None:
    result = opt(
        FUNCTION, "--pass-pipeline=builtin.module(func.func(test-raise{how=crash}))", "--debug"
    )
    assert result.returncode == 1
    assert "pass 'test-raise' failed: KeyError: 'lost'" in result.stderr
    assert 'raise KeyError("lost")' in result.stderr
    assert "Traceback" in result.stderr


def test_split_input_and_expected_diagnostics() -> None:
    source = (
        "func.func @f() {\n  // expected-error @+1 {{not this one}}\n  return\n}\n// -----\n"
        "// expected-note @+1 {{in this function}}\n"
        "func.func @g() {\n  // expected-error @+1 {{not this one}}\n  return\n}\n"
    )
    source = "// expected-note @+1 {{in this function}}\n" + source
    flags = ("--split-input-file", "--verify-diagnostics")
    result = opt(source, *flags, "--pass-pipeline=builtin.module(func.func(test-raise))")
    assert result.returncode == 0, result.stderr


def many_functions() -> str:
    return "".join(f"func.func @f{i}() {{\n  return\n}}\n" for i in range(200))


def test_nested_passes_on_many_threads_end() -> None:
    pipeline = "--pass-pipeline=builtin.module(func.func(test-visit,canonicalize,test-visit))"
    result = opt(many_functions(), pipeline)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("test.visited") == 200


@pytest.mark.parametrize("entry", ["upstream", "forebay"])
def test_a_caller_that_holds_the_interpreter_lock_does_not_deadlock(
    entry: str, tmp_path: Path
) -> None:
    script = tmp_path / "run.py"
    run = {
        "upstream": "from mlir.passmanager import PassManager\n"
        "    PassManager.parse(pipeline).run(module.operation)",
        "forebay": "from forebay.pipelines import run_pipeline\n    run_pipeline(module, pipeline)",
    }[entry]
    script.write_text(
        f"import sys; sys.path.insert(0, {str(DRIVER.parent)!r})\n"
        "import opt_driver as driver\n"
        "from mlir import ir\n"
        "pipeline = 'builtin.module(func.func(test-visit,canonicalize))'\n"
        "with ir.Context() as context:\n"
        "    context.allow_unregistered_dialects = True\n"
        "    context.enable_multithreading(True)\n"
        f"    module = ir.Module.parse({many_functions()!r})\n"
        f"    {run}\n"
        "    print(str(module).count('test.visited'))\n"
    )
    result = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert result.stdout.strip() == "200", result.stderr
