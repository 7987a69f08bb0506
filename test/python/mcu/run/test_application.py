"""Applications of one's own on boards: what `main` returns, where sections lie, what is refused."""

from pathlib import Path

import pytest
from common import networks

from forebay.errors import Error
from forebay.mcu import Board, McuError, ToolError, build_application, run_application
from forebay.mcu.image.elf import Elf
from forebay.mcu.run.emulate import run_image

WORKSPACE = ".bss.digits_int8_workspace"
RUN_DIGITS = """
#include "digits_int8.h"
int main(void)
{
    static const int8_t image[DIGITS_INT8_IMAGE_ELEMENTS];
    int8_t scores[DIGITS_INT8_SCORES_ELEMENTS];
    return digits_int8_run(&digits_int8_default_pools, image, scores) == DIGITS_INT8_OK ? 17 : 1;
}"""
TWO_SECTIONS = """
#include <stdint.h>
__attribute__((section(".bss.fast"))) volatile uint32_t zeroed[4];
__attribute__((section(".noinit.kept"))) volatile uint32_t kept[4];
int main(void) { return (int)(zeroed[1] * 10 + kept[1]); }"""


def image(board: Board, directory: Path, text: str, sections: dict[str, str] | None = None) -> Elf:
    source = directory / "own.c"
    source.write_text(text)
    return build_application(board, [source], [], directory / "built", sections=sections)


def address(elf: Elf, name: str) -> int:
    (found,) = [symbol.address for symbol in elf.symbols if symbol.name == name]
    return found


@pytest.mark.parametrize("code", [0, 3, 300, -1])
def test_the_return_value_of_main_is_reported(code: int, board: Board, tmp_path: Path) -> None:
    """3 is also how a fault ends, and an exit code of this machine has eight bits."""
    assert (
        run_application(board, image(board, tmp_path, f"int main(void) {{ return {code}; }}"))
        == code
    )


def test_an_unfinished_line_does_not_hide_it(board: Board, tmp_path: Path) -> None:
    text = '#include "bare_board.h"\nint main(void) { console_write("exit 7 x"); return 5; }'
    assert run_application(board, image(board, tmp_path, text)) == 5


def test_an_exception_is_no_exit(board: Board, tmp_path: Path) -> None:
    elf = image(board, tmp_path, "int main(void) { __builtin_trap(); }")
    with pytest.raises(McuError, match=f"^{board.name}: exception 3 at 0x"):
        run_application(board, elf)


def test_an_endless_application_is_ended(board: Board, tmp_path: Path) -> None:
    with pytest.raises(McuError, match="did not end in 1 s"):
        run_application(board, image(board, tmp_path, "int main(void) { for (;;) { } }"), 1.0)


def test_an_emulator_that_cannot_begin_is_no_exit(m55: Board, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"^qemu-system-arm ended with 1:\n"):
        run_application(m55, Elf(tmp_path / "missing.elf", (), ()))


def test_sections_lie_in_their_memories_and_begin_as_their_names_say(
    m55: Board, tmp_path: Path
) -> None:
    elf = image(m55, tmp_path, TWO_SECTIONS, {".bss.fast": "sram", ".noinit.kept": "ddr"})
    places = {"zeroed": address(elf, "zeroed"), "kept": address(elf, "kept")}
    assert m55.memory("sram").holds(places["zeroed"], 16)
    assert m55.memory("ddr").holds(places["kept"], 16)
    dirt = [f"loader,addr={it + 4:#x},data=3,data-len=4" for it in places.values()]
    ended = run_image(m55, elf.path, [word for it in dirt for word in ("-device", it)], 20.0)
    assert ended.code == 3  # 0 * 10 + 3


def test_pools_of_a_network_are_put_by_their_sections(
    digits: Path, board: Board, tmp_path: Path
) -> None:
    source = tmp_path / "own.c"
    source.write_text(RUN_DIGITS)
    memory = board.memories[-1]
    network = networks.compiled(digits)
    elf = build_application(
        board, [source], [network], tmp_path / "built", sections={WORKSPACE: memory.name}
    )
    assert memory.holds(address(elf, "workspace"), 3072)
    assert board.memory(board.rodata).holds(address(elf, "digits_int8_weights"), 10_904)
    assert run_application(board, elf) == 17


def test_files_of_one_name_and_flags(board: Board, tmp_path: Path) -> None:
    sources = [tmp_path / folder / "same.c" for folder in ("a", "b")]
    for source in sources:
        source.parent.mkdir()
    sources[0].write_text('#include "value.h"\nint other(void) { return VALUE + MORE; }')
    sources[1].write_text("int other(void);\nint main(void) { return other(); }")
    (tmp_path / "value.h").write_text("#define VALUE 20\n")
    elf = build_application(
        board, sources, [], tmp_path / "built", include=[tmp_path], flags=["-DMORE=3"]
    )
    assert run_application(board, elf) == 23


def test_networks_of_one_name_are_refused(digits: Path, m55: Board, tmp_path: Path) -> None:
    network = networks.compiled(digits)
    with pytest.raises(McuError, match=r"^2 networks have the prefix 'digits_int8'; compile them"):
        build_application(m55, [], [network, network], tmp_path / "built")


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({".data.x": "sram"}, r"^section '\.data\.x' cannot be put into 'sram': let its name "),
        ({".bss": "sram"}, r"^section '\.bss' cannot be put into 'sram': let its name "),
        (
            {".bss.x": "rom"},
            r"^section '\.bss\.x': mps3-an547 has no memory 'rom'; memories: itcm,",
        ),
        ({".bss.x": "sram"}, r"^nothing lies in section '\.bss\.x', .* memory 'sram'; is it spelt"),
    ],
)
def test_sections_that_cannot_be_are_refused(
    sections: dict[str, str], message: str, m55: Board, tmp_path: Path
) -> None:
    with pytest.raises(McuError, match=message):
        image(m55, tmp_path, "int main(void) { return 0; }", sections)


def test_a_memory_that_is_too_small_says_what_it_holds(m55: Board, tmp_path: Path) -> None:
    text = """
    __attribute__((section(".bss.big"))) char big[(2 << 20) + 1];
    int main(void) { return big[0]; }"""
    with pytest.raises(McuError) as caught:
        image(m55, tmp_path, text, {".bss.big": "sram"})
    assert "must hold section '.bss.big': put one of its sections into another memory" in str(
        caught.value
    )
    assert "memory 'sram' of mps3-an547 (2,097,152 bytes) is 1 bytes too small" in str(caught.value)


def test_a_folder_of_others_is_left_alone(m55: Board, tmp_path: Path) -> None:
    (tmp_path / "built").mkdir()
    (tmp_path / "built/notes.txt").write_text("mine")
    with pytest.raises(Error, match="built"):
        image(m55, tmp_path, "int main(void) { return 0; }")
    assert (tmp_path / "built/notes.txt").read_text() == "mine"
