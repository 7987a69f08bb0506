"""Counts of instructions against numbers known by hand."""

import itertools
from pathlib import Path

import pytest
from common.drivers.mcu_programs import built

from forebay.mcu import Board
from forebay.mcu.image.elf import Elf
from forebay.mcu.run.count import Owners, count

# 1 + 2 * 100 + 1 instructions
LOOP = {
    "arm": "movs r3, #100\\n1: subs r3, #1\\n bne 1b\\n bx lr",
    "riscv": "li t0, 100\\n1: addi t0, t0, -1\\n bnez t0, 1b\\n ret",
}
# saves, calls and returns: 3 instructions beside those of `loop`
CALL = {
    "arm": "push {r4, lr}\\n bl loop\\n pop {r4, pc}",
    "riscv": "mv t1, ra\\n call loop\\n mv ra, t1\\n ret",
}
BESIDE = {"arm": 3, "riscv": 4}
MAIN = """
int net_run(void);
int main(void) {
  net_run();
  report_stack(0);
  net_run();
  return 0;
}
"""


def architecture(board: Board) -> str:
    return "riscv" if "riscv" in board.name else "arm"


def network(board: Board) -> str:
    kind = architecture(board)
    return f"""
__attribute__((naked, used)) static void loop(void) {{ __asm__("{LOOP[kind]}"); }}
__attribute__((naked, used)) static void call(void) {{ __asm__("{CALL[kind]}"); }}
int net_run(void) {{ loop(); call(); loop(); return 0; }}
"""


def counted(
    board: Board, elf: Elf, *groups: str, each: bool = False
) -> tuple[tuple[int, ...], ...]:
    owned = tuple((frozenset({group}), (0,)) for group in groups)
    owners = Owners(owned, frozenset({"main"}), "net_run")
    return count(board, elf, owners, 20.0, each=each)[1]


@pytest.fixture(scope="module")
def elf(board: Board, tmp_path_factory: pytest.TempPathFactory) -> Elf:
    return built(board, tmp_path_factory.mktemp("count"), network(board), MAIN)


def test_instructions_are_those_that_one_counts_by_hand(board: Board, elf: Elf) -> None:
    beside = BESIDE[architecture(board)]
    first, second = counted(board, elf, "loop", "call", "net_run")
    assert first == second  # a run each
    assert first[:2] == (3 * 202, beside)


def test_what_has_no_owner_is_charged_to_its_caller(board: Board, elf: Elf) -> None:
    beside = BESIDE[architecture(board)]
    (call, _), _ = counted(board, elf, "call", "net_run")
    assert call == 202 + beside


def test_blocks_and_single_instructions_give_the_same_numbers(board: Board, elf: Elf) -> None:
    groups = ("loop", "call", "net_run")
    assert counted(board, elf, *groups) == counted(board, elf, *groups, each=True)


def test_the_whole_does_not_depend_on_how_it_is_divided(board: Board, elf: Elf) -> None:
    divisions = [("net_run",), ("call", "net_run"), ("loop", "call", "net_run")]
    totals = [sum(counted(board, elf, *groups)[0]) for groups in divisions]
    assert all(a == b for a, b in itertools.pairwise(totals)), totals


def test_a_path_with_a_comma_is_a_path(board: Board, tmp_path: Path) -> None:
    directory = tmp_path / "a,b"
    directory.mkdir()
    image = built(board, directory, network(board), MAIN)
    assert counted(board, image, "loop", "call", "net_run")[0][0] == 3 * 202


@pytest.mark.parametrize("each", [False, True])
def test_each_call_of_a_function_has_an_owner_of_its_own(
    board: Board, elf: Elf, each: bool
) -> None:
    """The second call of `loop` is that in `call`, where it does not count for `call`."""
    loop, call, run = (frozenset({name}) for name in ("loop", "call", "net_run"))
    groups = ((loop, (0, 1, 2)), (call, (0,)), (run, (0,)))
    owners = Owners(groups, frozenset({"main"}), "net_run")
    first, second = count(board, elf, owners, 20.0, each=each)[1]
    assert first == second
    assert first[:4] == (202, 202, 202, BESIDE[architecture(board)])


def test_the_calls_of_a_run_go_round_its_owners(board: Board, elf: Elf) -> None:
    groups = ((frozenset({"loop"}), (0, 1)), (frozenset({"net_run", "call"}), (0,)))
    owners = Owners(groups, frozenset({"main"}), "net_run")
    first, second = count(board, elf, owners, 20.0)[1]
    assert first == second
    assert first[:2] == (2 * 202, 202)


def test_an_owner_may_have_several_calls_in_any_order(board: Board, elf: Elf) -> None:
    groups = ((frozenset({"loop"}), (1, 0, 1)), (frozenset({"net_run", "call"}), (0,)))
    owners = Owners(groups, frozenset({"main"}), "net_run")
    first, second = count(board, elf, owners, 20.0)[1]
    assert first == second
    assert first[:2] == (202, 2 * 202)
