"""The cases of a matrix: those that `make test` runs, and those that only `make test-all` runs."""

import pytest


def matrix(cases, *keep):
    """The cases as parameters, all thorough but those to keep. Each of these is named by its value, or its first value."""
    cases = [case if isinstance(case, tuple) else (case,) for case in cases]
    unknown = [one for one in keep if one not in [first for first, *_ in cases]]
    assert not unknown, f"there are no cases {unknown}"
    return [pytest.param(*case, marks=() if case[0] in keep else pytest.mark.thorough) for case in cases]
