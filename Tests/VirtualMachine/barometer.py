"""A barometer on an I2C bus: a register map of the kernel's i2c-stub, and the kernel's own driver for the BMP280.

Source: Bosch BMP280 data sheet BST-BMP280-DS001, 3.11.3 (compensation, and its example) and 4.2 (registers);
the kernel's Documentation/i2c/i2c-stub.rst and linux/i2c-dev.h.
"""
import ctypes
import fcntl
import os
import pathlib
import struct
import subprocess

from harness.timing import wait_for

# dig_T1 to dig_T3 and dig_P1 to dig_P9 of the example, and its raw temperature.
CALIBRATION = (27504, 26435, -1000, 36477, -10685, 3024, 2855, 140, -7, 15500, -14600, 6000)
TEMPERATURE = 519888


def compensated(raw, temperature=TEMPERATURE):
    """Pascals of a raw pressure: the data sheet's formula in floating point."""
    t1, t2, t3, p1, p2, p3, p4, p5, p6, p7, p8, p9 = CALIBRATION
    first = (temperature / 16384 - t1 / 1024) * t2
    second = (temperature / 131072 - t1 / 8192) ** 2 * t3
    first = (first + second) / 2 - 64000
    second = first * first * p6 / 32768 + first * p5 * 2
    second = second / 4 + p4 * 65536
    first = (p3 * first * first / 524288 + p2 * first) / 524288
    first = (1 + first / 32768) * p1
    pressure = (1048576 - raw - second / 4096) * 6250 / first
    return pressure + (p9 * pressure * pressure / 2147483648 + pressure * p8 / 32768 + p7) / 16


class SMBusData(ctypes.Union):
    _fields_ = [("byte", ctypes.c_uint8), ("block", ctypes.c_uint8 * 34)]


class SMBusRequest(ctypes.Structure):
    _fields_ = [("is_read", ctypes.c_uint8), ("command", ctypes.c_uint8), ("size", ctypes.c_uint32),
                ("data", ctypes.POINTER(SMBusData))]


class Barometer:
    ADDRESS = 0x76
    I2C_SLAVE_FORCE, I2C_SMBUS, BYTE_DATA = 0x0706, 0x0720, 2
    CHIP_ID, CALIBRATIONS, PRESSURES, TEMPERATURES = 0xD0, 0x88, 0xF7, 0xFA
    PRESSURE = 415148
    DRIVER = pathlib.Path("/sys/bus/i2c/drivers/bmp280")

    def __init__(self):
        subprocess.run(["modprobe", "i2c-dev"], check=True)
        subprocess.run(["modprobe", "i2c-stub", f"chip_addr={self.ADDRESS:#x}"], check=True)
        buses = pathlib.Path("/sys/class/i2c-dev").iterdir()
        self.bus = next(bus.name for bus in buses if "stub" in (bus / "name").read_text())
        self.name = f"{self.bus.removeprefix('i2c-')}-{self.ADDRESS:04x}"
        wait_for(pathlib.Path("/dev", self.bus).exists, 60, "the bus")
        self.descriptor = os.open(f"/dev/{self.bus}", os.O_RDWR)
        # The driver holds the address.
        fcntl.ioctl(self.descriptor, self.I2C_SLAVE_FORCE, self.ADDRESS)
        self.write(self.CHIP_ID, b"\x58")
        self.write(self.CALIBRATIONS, struct.pack("<HhhHhhhhhhhh", *CALIBRATION))
        self.write(self.TEMPERATURES, (TEMPERATURE << 4).to_bytes(3, "big"))
        self.set_pressure(self.PRESSURE)

    def write(self, register, values):
        for place, value in enumerate(values):
            data = SMBusData(byte=value)
            request = SMBusRequest(0, register + place, self.BYTE_DATA, ctypes.pointer(data))
            fcntl.ioctl(self.descriptor, self.I2C_SMBUS, request)

    def set_pressure(self, raw):
        self.write(self.PRESSURES, (raw << 4).to_bytes(3, "big"))

    def plug_in(self):
        """Names the chip to the kernel; udev loads its driver."""
        pathlib.Path("/sys/bus/i2c/devices", self.bus, "new_device").write_text(f"bmp280 {self.ADDRESS:#x}")
        wait_for((self.DRIVER / self.name).exists, 60, "the driver of the barometer")

    def unplug(self):
        pathlib.Path("/sys/bus/i2c/devices", self.bus, "delete_device").write_text(f"{self.ADDRESS:#x}")

    def unbind(self):
        (self.DRIVER / "unbind").write_text(self.name)

    def bind(self):
        (self.DRIVER / "bind").write_text(self.name)

    def end(self):
        self.unplug()
        os.close(self.descriptor)
        subprocess.run(["modprobe", "-r", "i2c-stub"], check=True)
