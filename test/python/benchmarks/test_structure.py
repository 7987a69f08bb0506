"""The measuring script on a small tree whose findings are known."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "structure.py"


def tree(root: Path, files: dict[str, str]) -> Path:
    (root / "passes").mkdir()
    for name, text in files.items():
        path = root / "python" / "forebay" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def add_tests(root: Path, *names: str) -> None:
    for name in names:
        path = root / "test" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def excuse(root: Path, lines: str) -> None:
    path = root / "test" / "untwinned.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text(lines)


def report(root: Path, *arguments: str) -> tuple[int, str]:
    # -S: without the packages of the environment, this project among them.
    command = [sys.executable, "-S", str(SCRIPT), "--root", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


def section(text: str, title: str) -> list[str]:
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"{title}: "))
    found = lines[start + 1 :]
    return [line.strip() for line in found[: found.index("") if "" in found else None]]


def test_a_type_only_import_closes_a_cycle(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "a/one.py": "from forebay.b.two import f\n",
            "b/two.py": "from typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n    from ..a import one\n",
        },
    )
    _, text = report(root)
    assert section(text, "import cycles between modules") == ["forebay.a.one <-> forebay.b.two"]
    assert section(text, "import cycles between packages") == ["forebay.a <-> forebay.b"]


def test_a_package_that_gathers_its_subpackages_is_no_cycle(tmp_path: Path) -> None:
    root = tree(
        tmp_path,
        {
            "a/__init__.py": "from forebay.a.b.two import f\n",
            "a/one.py": "",
            "a/b/two.py": "from forebay.a import one\n",
        },
    )
    _, text = report(root)
    assert section(text, "import cycles between packages") == []


def test_public_names_count_once_per_module(tmp_path: Path) -> None:
    root = tree(
        tmp_path, {"a/one.py": "class Buffer: ...\n_x = 1\n", "b/two.py": "Buffer = int\n_x = 2\n"}
    )
    _, text = report(root)
    found = section(text, "public names defined in several modules")
    assert found == ["Buffer: forebay.a.one, forebay.b.two"]


def test_entries_of_tables_and_entry_points_may_repeat(tmp_path: Path) -> None:
    registered = "@rule(Op)\ndef copy(): ...\n@registry.rule(Op)\ndef dim(): ...\ndef run(): ...\n"
    root = tree(tmp_path, {"a/one.py": registered, "b/two.py": registered})
    _, text = report(root)
    assert section(text, "public names defined in several modules") == []


def test_other_decorators_do_not_excuse_a_repeated_name(tmp_path: Path) -> None:
    decorated = "@cache\ndef f(): ...\n@check(Op)\ndef g(): ...\n@rule\ndef h(): ...\n"
    root = tree(tmp_path, {"a/one.py": decorated, "b/two.py": decorated})
    _, text = report(root)
    found = section(text, "public names defined in several modules")
    assert [line.split(":")[0] for line in found] == ["f", "g", "h"]


def test_independent_packages_repeat_the_terms_of_others_but_not_their_own(tmp_path: Path) -> None:
    names = "class Frame: ...\n"
    files = ("reference/one.py", "reference/rules/two.py", "ir/plan_check/three.py", "a/four.py")
    root = tree(tmp_path, dict.fromkeys((*files, "reference_text.py"), names))
    _, text = report(root)
    assert section(text, "public names defined in several modules") == [
        "Frame: forebay.a.four, forebay.reference_text",
        "Frame: forebay.reference.one, forebay.reference.rules.two",
    ]


def test_more_than_twenty_modules_are_too_many(tmp_path: Path) -> None:
    root = tree(tmp_path, {f"a/m{number}.py": "" for number in range(21)})
    _, text = report(root)
    assert section(text, "packages with more than 20 modules") == ["forebay.a: 21"]


def test_folders_of_tests_count_as_packages(tmp_path: Path) -> None:
    root = tree(tmp_path, {"a/one.py": ""})
    add_tests(root, "python/a/test_one.py", *(f"common/m{number}.py" for number in range(21)))
    _, text = report(root)
    assert section(text, "packages with more than 20 modules") == ["test.common: 21"]
    assert next(line.split() for line in text.splitlines() if line[:5] == "test/")[1] == "22"


def test_modules_of_tests_import_each_other_without_the_name_of_the_folder(tmp_path: Path) -> None:
    root = tree(tmp_path, {"a/one.py": ""})
    add_tests(root, "common/one.py", "common/two.py", "common/three.py")
    (root / "test" / "common" / "one.py").write_text("from common import two\n")
    (root / "test" / "common" / "two.py").write_text("import common.three\n")
    (root / "test" / "common" / "three.py").write_text("from common.one import f\n")
    _, text = report(root)
    assert section(text, "import cycles between modules") == [
        "test.common.one <-> test.common.three <-> test.common.two"
    ]


def test_nested_functions_are_measured(tmp_path: Path) -> None:
    root = tree(tmp_path, {"a/one.py": "def f():\n    def g():\n        pass\n    g()\n"})
    row = next(line.split() for line in report(root)[1].splitlines() if line[:9] == "forebay.a")
    assert row[4:] == ["2", "3", "4", "4"]


def test_a_module_needs_a_test_of_its_path_or_a_reason(tmp_path: Path) -> None:
    root = tree(tmp_path, {"a/one.py": "", "a/two.py": "", "a/three.py": ""})
    add_tests(root, "python/a/test_one.py")
    excuse(root, "forebay.a.two: tested by the networks\n")
    status, text = report(root, "--check")
    assert section(text, "modules without a test of the same path") == ["forebay.a.three"]
    assert status == 1
    add_tests(root, "python/a/test_three_errors.py")
    assert report(root, "--check")[0] == 0


def test_a_pass_is_tested_by_the_ir_file_of_its_path(tmp_path: Path) -> None:
    root = tree(tmp_path, {})
    (root / "passes" / "plan").mkdir()
    for name in ("accel_one", "accel_two"):
        (root / "passes" / "plan" / f"{name}.py").touch()
    add_tests(root, "passes/plan/accel-one.mlir", "passes/accel-two.mlir")
    found = section(report(root)[1], "modules without a test of the same path")
    assert found == ["forebay.passes.plan.accel_two"]


def test_a_pattern_excuses_a_folder(tmp_path: Path) -> None:
    root = tree(tmp_path, {"a/b/one.py": "", "a/b/c/two.py": "", "a/three.py": ""})
    excuse(root, "# registries\n\nforebay.a.b.*: one test covers all of them\n")
    _, text = report(root)
    assert section(text, "modules without a test of the same path") == ["forebay.a.three"]


def test_names_in_braces_are_excused_one_by_one(tmp_path: Path) -> None:
    root = tree(tmp_path, {"a/one.py": "", "a/two.py": "", "a/three.py": ""})
    excuse(root, "forebay.a.{one, two,\n  gone}: parts of\n  one algorithm\n")
    _, text = report(root)
    assert section(text, "modules without a test of the same path") == ["forebay.a.three"]
    assert text.splitlines()[-1] == "modules with a reason in test/untwinned.txt: 2 of 3"
    assert section(text, "wrong lines of test/untwinned.txt") == [
        "forebay.a.gone: matches no module without a test"
    ]


def test_a_reason_that_is_not_needed_or_not_true_is_a_finding(tmp_path: Path) -> None:
    root = tree(tmp_path, {"a/one.py": "", "a/two.py": "", "a/three.py": ""})
    add_tests(root, "python/a/test_one.py", "python/a/test_all.py")
    excuse(
        root,
        "forebay.a.one: has one by now\n"
        "forebay.a.gone: is not a module\n"
        "forebay.a.two:\n"
        "forebay.a.three: test/python/a/test_all.py, and test/python/a/test_gone.py.\n",
    )
    status, text = report(root, "--check")
    assert status == 1
    assert section(text, "modules without a test of the same path") == []
    assert section(text, "wrong lines of test/untwinned.txt") == [
        "forebay.a.one: matches no module without a test",
        "forebay.a.gone: matches no module without a test",
        "forebay.a.two: has no reason",
        "forebay.a.three: test/python/a/test_gone.py does not exist",
    ]


def test_every_module_of_this_tree_has_a_test_of_its_path_or_a_reason() -> None:
    _, text = report(SCRIPT.parents[1])
    assert section(text, "modules without a test of the same path") == []
    assert section(text, "wrong lines of test/untwinned.txt") == []


@pytest.mark.slow
def test_this_project_keeps_the_structure() -> None:
    code, text = report(SCRIPT.parents[1], "--check")
    assert code == 0, text
