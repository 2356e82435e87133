"""The cases of a matrix: those that `make test` runs, and those that only `make test-all` runs."""

import pytest


def matrix(cases, *keep):
    """The cases as parameters, all thorough but those to keep. Each of these is named by its value, or its first value."""
    def parameter(case):
        values = case if isinstance(case, tuple) else (case,)
        kept.append(values[0] in keep)
        return pytest.param(*values, marks=() if kept[-1] else pytest.mark.thorough)

    kept = []
    parameters = [parameter(case) for case in cases]
    assert 0 < len(keep) == sum(kept), f"not every case to keep is there once: {keep}"
    return parameters
