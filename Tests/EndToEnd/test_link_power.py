"""Power cuts of a board that sends its run: a row leaves after its sync, so no cut can put another row in its place."""

import random

import pytest

from harness.link_power import PowerFixture
from harness.timing import Failed


@pytest.mark.parametrize("cuts", [2, pytest.param(30, marks=pytest.mark.thorough)])
def test_no_row_of_a_collector_differs_after_power_cuts(stage, database, cuts):
    board = PowerFixture(stage, database, random.Random(47))
    with board.explained():
        board.cut_often(cuts)
    print(board.totals())


def test_rows_differ_after_a_power_cut_if_they_leave_before_their_sync(stage, database):
    """The proof that the test above can fail: paced-link is told that all is synced, half a minute of rows is not."""
    board = PowerFixture(stage, database, random.Random(47), sync_seconds=60, lies=True)
    with pytest.raises(Failed, match="rows that the journal has lost"):
        while True:
            board.cut()
    board.daemon.start()
    board.begin_run()
    board.run_until(lambda: not board.rows_ahead(), "other rows in the places of those that were lost")
    board.end_run()
    board.know_activities()
    assert board.changed_rows()
