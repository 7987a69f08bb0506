"""What is raised where the program and the model disagree."""

from forebay.errors import Error


class DifferentValuesError(Error):
    """The program computes something else than the model; `operator` is the first that does."""

    def __init__(self, operator: str, what: str) -> None:
        super().__init__(f"{operator}: {what}")
        self.operator = operator
