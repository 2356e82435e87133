"""The log of the kernel's dm-log-writes: every write of a disk in order.

Layout, little-endian, in sectors of the size that the first one names:

    superblock   u64 magic, u64 version, u64 entries, u32 sector size
    entries      u64 sector, u64 sectors, u64 flags, u64 bytes of data; a mark has its name behind them, in the same sector;
                 any other but a discard has its data in the sectors that follow

Sectors of an entry are of 512 bytes. Source: Linux, drivers/md/dm-log-writes.c.
"""

import dataclasses
import struct

MAGIC = 0x6A736677736872
SUPERBLOCK = struct.Struct("<QQQI")
ENTRY = struct.Struct("<QQQQ")
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8


@dataclasses.dataclass
class Entry:
    offset: int  # of the disk, in bytes
    size: int  # in bytes
    flags: int
    data: int  # where it is in the log, in bytes
    mark: str | None

    @property
    def is_boundary(self):
        """Earlier writes are on the disk, unless the disk lies."""
        return bool(self.flags & (FLUSH | FUA))


def entries(log):
    """The entries of an open log, in order."""
    log.seek(0)
    magic, version, count, sector = SUPERBLOCK.unpack(log.read(SUPERBLOCK.size))
    if (magic, version) != (MAGIC, 1):
        raise ValueError(f"no log of dm-log-writes: magic {magic:x}, version {version}")
    place = sector
    for _ in range(count):
        log.seek(place)
        offset, sectors, flags, length = ENTRY.unpack(log.read(ENTRY.size))
        mark = log.read(length).decode() if flags & MARK else None
        data = place + sector
        size = 0 if mark else sectors * 512
        yield Entry(offset * 512, size, flags, data, mark)
        place = data if flags & (DISCARD | MARK) else data + -(-size // sector) * sector


def apply(entry, log, disk):
    """Repeats the write on an open disk image."""
    if not entry.size:
        return
    disk.seek(entry.offset)
    if entry.flags & DISCARD:
        disk.write(bytes(entry.size))
    else:
        log.seek(entry.data)
        disk.write(log.read(entry.size))
