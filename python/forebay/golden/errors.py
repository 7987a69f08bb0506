"""The error that is raised when the program and the model disagree."""

from forebay.errors import Error


class DifferentValuesError(Error):
    """Raised when the program's values differ from the model's; `operator` differs first."""

    def __init__(self, operator: str, what: str) -> None:
        super().__init__(f"{operator}: {what}")
        self.operator = operator
