"""One module for each operator: what the registries of the front ends have in common."""

from __future__ import annotations

from forebay.errors import Error


class RegistrationError(Error):
    """Two modules register the lowering of one operator."""

    def __init__(self, operator: str, modules: tuple[str, str]) -> None:
        first, second = modules
        super().__init__(
            f"operator {operator} is registered by {first} and by {second}; remove one of the two"
        )
        self.operator = operator
        self.modules = modules


class OperatorModules:
    """The modules that registered operators, by operator name."""

    def __init__(self) -> None:
        self._modules: dict[str, str] = {}

    def add(self, operator: str, module: str) -> None:
        """Record the module of an operator; raise `RegistrationError` if there is another one."""
        first = self._modules.setdefault(operator, module)
        if first != module:
            raise RegistrationError(operator, (first, module))
