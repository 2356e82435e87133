#!/usr/bin/env python3
"""Cuts the power of a board at random while it records and sends a run, and compares the database with the journal.

A cut takes what paced and paced-link have not synced. The board goes on with the run, and records other rows in the
places of those that it has lost. The broker and the collector are other machines, and go on.
"""

import argparse
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from harness.fixture import ProcessFixture  # noqa: E402
from harness.link_power import PowerFixture  # noqa: E402
from harness.servers import PostgreSQL  # noqa: E402
from harness.timing import real_seconds  # noqa: E402


def run(cuts, seed):
    begun, stage = real_seconds(), ProcessFixture()
    try:
        board = PowerFixture(stage, stage.start(PostgreSQL()), random.Random(seed))
        with board.explained():
            board.cut_often(cuts)
        print(f"{board.totals()}, {real_seconds() - begun:.0f} s")
    finally:
        stage.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuts", type=int, default=20)
    parser.add_argument("--seed", type=int, help="repeats the choices of a run; default random ones")
    options = parser.parse_args()
    seed = random.randrange(1 << 32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    run(options.cuts, seed)


if __name__ == "__main__":
    main()
