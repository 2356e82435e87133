"""The cases of a matrix: those that `make test` runs, and those that only `make test-all` runs."""

import pytest


def matrix(cases, *keep):
    """The cases as parameters, thorough except those to keep, each of which is named by its value, or its first value."""
    cases = list(cases)

    def name(case):
        return case[0] if isinstance(case, tuple) else case

    unknown = [one for one in keep if one not in map(name, cases)]
    assert not unknown, f"no such cases: {unknown}"
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)),
                         marks=() if name(case) in keep else pytest.mark.thorough) for case in cases]
