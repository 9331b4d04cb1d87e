"""The one kind of error a user of this package meets."""

from __future__ import annotations


class RatingsError(ValueError):
    """Something about the given ratings, scale, files or options cannot be used.

    Every message has three parts, in this order: what was given, what is
    allowed, what to do.

    Parameters
    ----------
    given : str
        What was found, with the place (file, line, item, value).
    allowed : str
        What would have been accepted.
    todo : str
        The next step for the reader of the message.

    Examples
    --------
    >>> print(RatingsError("the rating 7", "the levels 1 to 5", "correct the value"))
    Given: the rating 7. Allowed: the levels 1 to 5. To do: correct the value.
    """

    def __init__(self, given: str, allowed: str, todo: str):
        parts = (given, allowed, todo)
        self.given, self.allowed, self.todo = (part.strip().rstrip(".") for part in parts)
        super().__init__(f"Given: {self.given}. Allowed: {self.allowed}. To do: {self.todo}.")


def install(extra: str) -> str:
    """How to get an extra of this package: the one place that says so.

    Parameters
    ----------
    extra : str
        Its name in pyproject.toml.

    Returns
    -------
    str

    Notes
    -----
    The package is on no index. It is installed from a copy of its repository.

    Examples
    --------
    >>> print(install("report"))
    in a copy of the repository of raters: pip install ".[report]"
    """
    return f'in a copy of the repository of raters: pip install ".[{extra}]"'
