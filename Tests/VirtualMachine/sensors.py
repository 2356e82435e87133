"""The other sensors on the machine's medium, each in a separate process: what they notify has a number in it."""
import asyncio

from bumble.core import UUID, AdvertisingData
from bumble.gatt import Characteristic, CharacteristicValue, Service

from strap import Strap, StrapProcess

RADAR = "6A4E32{:02X}-667B-11E3-949A-0800200C9A66"


def little(number, size):
    return number.to_bytes(size, "little")


# For each kind: the name, the UUIDs of the service and of the characteristic, the value of a notification with its
# number, and the number in a measurement of the input log, whose fields begin at the third place.
KINDS = {
    "power": ("Assioma 1", "1818", "2A63", lambda n: bytes(2) + little(n, 2), lambda fields: fields[2]),
    "speed-cadence": (
        "Speed 2", "1816", "2A5B", lambda n: b"\x01" + little(n, 4) + little(n * 1024 % 65536, 2), lambda fields: fields[2]),
    "foot-pod": (
        "Stryd 3", "1814", "2A53", lambda n: b"\x02" + little(768, 2) + b"\x5A" + little(n, 4), lambda fields: fields[6]),
    "fitness-machine": ("Kickr 4", "1826", "2AD2", lambda n: b"\x41\x00" + little(n, 2), lambda fields: fields[3]),
    # The speed is the upper half of the number.
    "radar": (
        "Varia 5", RADAR.format(0), RADAR.format(3), lambda n: bytes([0, 1, n % 256, n // 256]),
        lambda fields: fields[3] + 256 * fields[4]),
}


class Sensor(Strap):
    """A sensor of a kind at the controller with a number."""

    def __init__(self, controller, kind, number):
        self.kind = kind
        name, address = KINDS[kind][0], f"C6:05:04:03:02:{number:02X}"
        super().__init__(controller, name=name, address=address)
        self.settings["kind"] = kind

    @property
    def name(self):
        return self.settings["name"]

    def number(self, fields):
        """The number in a measurement of the input log."""
        return KINDS[self.kind][4](fields)


class SensorProcess(StrapProcess):
    maker, model = "Maker", "Model"

    def __init__(self, kind, **settings):
        self.kind = kind
        if kind == "radar":
            self.advertised = AdvertisingData.INCOMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS
        super().__init__(**settings)

    def measuring_service(self):
        _, service, characteristic, *_ = KINDS[self.kind]
        properties = Characteristic.Properties.NOTIFY
        measurement = Characteristic(UUID(characteristic), properties, Characteristic.READABLE, b"")
        further = self.power_control() if self.kind == "power" else []
        return Service(UUID(service), [measurement, *further]), measurement

    def power_control(self):
        """The features, a zero offset of a torque, and the control point."""
        feature = Characteristic(
            UUID("2A65"), Characteristic.Properties.READ, Characteristic.READABLE, little(1 << 9 | 1 << 16, 4))
        self.point = Characteristic(
            UUID("2A66"), Characteristic.Properties.WRITE | Characteristic.Properties.INDICATE,
            Characteristic.WRITEABLE, CharacteristicValue(write=self.control))
        return [feature, self.point]

    def control(self, connection, value):
        """Indicates the response to an offset compensation: 1.5 Nm; to another request, that it is not supported."""
        response = b"\x01" + little(48, 2) if value == b"\x0C" else b"\x02"
        indication = b"\x1D" + little(self.point.handle, 2) + b"\x20" + value[:1] + response
        asyncio.get_running_loop().call_later(0.5, self.send, connection.handle, indication)

    def further_services(self):
        return []

    def value(self):
        self.beats += 1
        return KINDS[self.kind][3](self.beats)


Sensor.Process = SensorProcess
