"""Programs that root runs as another user. They are copies: the checkout may be below a directory of mode 0700."""

import atexit
import functools
import os
import pathlib
import shutil
import tempfile

NOBODY = 65534


def acting_as(number, group=None):
    """The options of subprocess.Popen for a user without further groups."""
    return {"user": number, "group": number if group is None else group, "extra_groups": []}


@functools.cache
def shared_directory():
    """A directory that every user can read, until this process ends."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="paced-shared-", dir="/tmp"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    directory.chmod(0o755)
    return directory


@functools.cache
def reachable(file):
    """A copy of a file, which every user can read and execute."""
    copy = shutil.copy(file, shared_directory() / file.name)
    copy.chmod(0o755)
    return copy


def unprivileged(program):
    """The program, and the options of subprocess.Popen, with which root is bound by permissions as others are."""
    return (reachable(program), acting_as(NOBODY)) if os.getuid() == 0 else (program, {})
