"""The list of commands, and what a command loads."""

import pkgutil
import subprocess
import sys

from forebay.cli import commands
from forebay.cli.parser import COMMANDS


def test_every_file_of_a_command_is_listed():
    files = {module.name.replace("_", "-") for module in pkgutil.iter_modules(commands.__path__)}
    assert files == set(COMMANDS)


def test_a_command_loads_no_other_command():
    code = (
        "import sys; from forebay.cli.parser import parser_of; parser_of(['schema']);"
        "print(*(name for name in sys.modules"
        " if name.startswith(('forebay.cli.commands.', 'shtab', 'difflib', 'numpy', 'mlir'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert done == ["forebay.cli.commands.schema"]
