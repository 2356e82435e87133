"""The machine's Bluetooth adapters: btvirt's, and the kernel's management of them, without code of paced."""
import ctypes
import os
import select
import socket
import struct
import subprocess
import time

from harness.timing import wait_for

# Commands of the management protocol. Source: BlueZ, doc/mgmt-api.txt.
READ_INDEX_LIST, READ_INFO, SET_POWERED, SET_LE = 0x0003, 0x0004, 0x0005, 0x000D
DISCONNECT, GET_CONNECTIONS, ADD_ADVERTISING = 0x0014, 0x0015, 0x003E
NO_INDEX = 0xFFFF
# The status of a command while another of its kind is in progress.
BUSY = 0x0A
POWERED, LE = 1 << 0, 1 << 9

# A channel's state. Source: Linux, include/net/bluetooth/bluetooth.h, BT_LISTEN.
LISTENING = "4"

libc = ctypes.CDLL("libc.so.6", use_errno=True)


class Radio:
    """A number of controllers that hear each other, as hci0, hci1 …, until it ends."""

    def __init__(self, controllers):
        self.process = subprocess.Popen(
            ["btvirt", f"-l{controllers}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with Management() as management:
            wait_for(lambda: len(management.indices()) == controllers, 60, f"{controllers} controllers")

    def end(self):
        self.process.kill()
        self.process.wait()
        with Management() as management:
            wait_for(lambda: not management.indices(), 60, "the end of the controllers")


class Refused(Exception):
    """The kernel answered a command with a status other than success."""

    def __init__(self, opcode, index, status):
        super().__init__(f"command {opcode:#06x} on hci{index}: status {status:#04x}")
        self.status = status


class Management:
    """A management socket of the kernel's Bluetooth."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI)
        # Python's own bind does not support channels.
        address = struct.pack("<HHH", socket.AF_BLUETOOTH, NO_INDEX, 3)
        if libc.bind(self.socket.fileno(), address, len(address)):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        self.socket.settimeout(60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def do(self, opcode, index=NO_INDEX, parameters=b""):
        """Sends a command, and returns the response's parameters."""
        # Events that nobody has read leave no room for the response.
        while select.select([self.socket], [], [], 0)[0]:
            self.socket.recv(4096)
        self.socket.send(struct.pack("<HHH", opcode, index, len(parameters)) + parameters)
        while True:
            packet = self.socket.recv(4096)
            event, of, _ = struct.unpack_from("<HHH", packet)
            if event in (1, 2) and of == index and struct.unpack_from("<H", packet, 6)[0] == opcode:
                if packet[8]:
                    raise Refused(opcode, index, packet[8])
                return packet[9:]

    def indices(self):
        reply = self.do(READ_INDEX_LIST)
        return sorted(struct.unpack_from(f"<{struct.unpack_from('<H', reply)[0]}H", reply, 2))

    def settings(self, index):
        return struct.unpack_from("<I", self.do(READ_INFO, index), 13)[0]

    def power(self, index, on):
        self.do(SET_POWERED, index, bytes([on]))

    def make_ready(self, index):
        """Enables LE and powers the adapter, as paced does if it may."""
        self.do(SET_LE, index, b"\x01")
        self.power(index, True)

    def be_seen(self, index):
        """Makes the adapter connectable, though it is connected itself."""
        connectable = 1 << 0
        end = time.monotonic() + 5
        while True:
            try:
                return self.do(ADD_ADVERTISING, index, struct.pack("<BIHHBB", 1, connectable, 0, 0, 0, 0))
            except Refused as refused:
                # Another client's command of the same kind is in progress.
                if refused.status != BUSY or time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def connections(self, index):
        """The addresses of the connected devices, each with its type (1 public, 2 random)."""
        try:
            reply = self.do(GET_CONNECTIONS, index)
        except Refused:
            return []  # not powered
        return [reply[2 + 7 * n:9 + 7 * n] for n in range(struct.unpack_from("<H", reply)[0])]

    def disconnect(self, index):
        """Ends every connection of an adapter, from this side."""
        for address in self.connections(index):
            self.do(DISCONNECT, index, address)


def attribute_channel(address):
    """An ATT channel to a device with a random address, as another program would hold it."""
    channel = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_SEQPACKET, socket.BTPROTO_L2CAP)
    # Python's own bind and connect do not support channel identifiers;
    # the address type is that of the adapter, then the peer's.
    for function, octets, kind in (libc.bind, bytes(6), 1), (libc.connect, bytes.fromhex(address.replace(":", "")), 2):
        place = struct.pack("<HH6sHBx", socket.AF_BLUETOOTH, 0, octets[::-1], 4, kind)
        if function(channel.fileno(), place, len(place)):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return channel


def channels():
    """The number of the kernel's L2CAP channels on ATT's identifier, without listening ones."""
    with open("/sys/kernel/debug/bluetooth/l2cap") as listing:
        return sum(1 for line in listing if " 0x0004 " in line and line.split()[4] != LISTENING)
