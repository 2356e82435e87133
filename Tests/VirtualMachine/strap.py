"""Heart-rate straps on the machine's medium: Bumble's whole peripheral, each strap in a separate process."""
import asyncio
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Peripheral"))

from att_peripheral import heart_rate_service, measurement_service
from bumble import att
from bumble.core import AdvertisingData
from bumble.device import Device, DeviceConfiguration
from bumble.hci import Address
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.profiles.battery_service import BatteryService
from bumble.profiles.device_information_service import DeviceInformationService
from bumble.transport import open_transport

from forked import Forked
from harness.timing import boot_ms

# The advertising interval in milliseconds: a strap that was just put on is faster, one that waits slower.
ADVERTISING = 100

REMOTE_USER_TERMINATED = 0x13


class Strap(Forked):
    """A strap, the host of a controller at the given HCI transport. A controller of the kernel must not be powered.

    With `pairs` only a paired host may subscribe, and every host may pair.
    """

    def __init__(self, controller, name="Polar H10 9AD13824", address="F0:F1:F2:F3:F4:F5", pairs=False):
        super().__init__(controller=controller, name=name, address=address, pairs=pairs, beats=0)
        self.earlier = []

    def start(self, **fields):
        """Starts the process and the advertising: fields as in `advertise`. Returns when it started to advertise."""
        super().start()
        return self.do("advertise", **fields)["at"]

    def events(self):
        """The result of `StrapProcess.events`; values sent by its killed predecessors come first."""
        events = self.do("events")
        return events | {"sent": self.earlier + events["sent"]}

    def kill(self):
        """Kills it. The sequence of its heart continues: the next one starts where this one has ended."""
        if self.pid:
            self.earlier = self.earlier + self.do("finish")["sent"]
            self.settings["beats"] = len(self.earlier)
        super().kill()


class Consent(PairingDelegate):
    """Accepts every pairing request, if the strap agrees."""

    def __init__(self):
        super().__init__()
        self.willing = asyncio.Event()
        self.willing.set()

    async def accept(self):
        await self.willing.wait()
        return True


class StrapProcess:
    """The strap's process."""

    maker, model = "Polar Electro Oy", "H10"
    # The list of service UUIDs in the advertising data.
    advertised = AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS

    def __init__(self, controller, name, address, pairs, beats):
        self.controller, self.name, self.address, self.pairs = controller, name, address, pairs
        self.device = None
        self.consent = Consent()
        self.service, self.measurement = self.measuring_service()
        self.beating = None
        self.values, self.period, self.beats = None, 1.0, beats
        self.mode = "good"
        self.random = random.Random(1)
        # Reported by `events`: times are CLOCK_BOOTTIME in ms.
        self.connections, self.requests, self.subscriptions, self.sent, self.answers = [], 0, 0, [], []

    def measuring_service(self):
        """Its service, and the characteristic that notifies."""
        heart = heart_rate_service()
        return heart, heart.heart_rate_measurement_characteristic

    def further_services(self):
        return [measurement_service(self.device)]

    async def power_on(self):
        settings = DeviceConfiguration(
            name=self.name, address=Address(self.address), advertising_interval_min=ADVERTISING,
            advertising_interval_max=ADVERTISING, keystore=f"JsonKeyStore:/run/{self.address}.keys")
        transport = await open_transport(self.controller)
        self.device = Device.from_config_with_hci(settings, transport.source, transport.sink)
        self.device.add_services([
            DeviceInformationService(
                manufacturer_name=self.maker, model_number=self.model, serial_number=self.name.split()[-1],
                firmware_revision="5.0.0"),
            self.service, BatteryService(lambda _: 87), *self.further_services()])
        self.device.pairing_config_factory = lambda _: PairingConfig(mitm=False, delegate=self.consent)
        self.device.host.long_term_key_provider = self.long_term_key
        if self.pairs:
            # Bumble's own descriptor, which follows the value.
            configuration = self.device.gatt_server.get_attribute(self.measurement.handle + 1)
            configuration.permissions |= att.Attribute.WRITE_REQUIRES_ENCRYPTION
        self.device.l2cap_channel_manager.register_fixed_channel(att.ATT_CID, self.received)
        self.measurement.on("subscription", self.subscribed)
        self.device.on("connection", self.connected)
        await self.device.power_on()

    # Commands.

    async def advertise(self, named=True, service=True, **mode):
        """Advertises until it is connected, and again after each connection."""
        if mode:
            await self.be(**mode)
        data = [(AdvertisingData.FLAGS, bytes([0x06]))]
        if service:
            data.append((self.advertised, bytes(self.service.uuid)))
        if named:
            data.append((AdvertisingData.COMPLETE_LOCAL_NAME, self.name.encode()))
        self.device.advertising_data = bytes(AdvertisingData(data))
        await self.device.start_advertising(auto_restart=True)
        return {"at": boot_ms()}

    async def hide(self):
        """Stops advertising; a connection continues."""
        await self.device.stop_advertising()

    async def be(self, mode=None, values=None, period=None):
        """Sets its behaviour: its mode (see `received`), its measurements in hexadecimal, seconds between them."""
        self.mode = mode or self.mode
        self.period = period or self.period
        if values is not None:
            self.values, self.beats = [bytes.fromhex(value) for value in values], 0

    async def hesitate(self):
        """Rejects pairing requests until `agree`."""
        self.consent.willing.clear()

    async def agree(self):
        self.consent.willing.set()

    async def finish(self):
        """Sends no further measurement; the result is that of `events`."""
        self.rest()
        return await self.events()

    async def drop(self):
        """Closes the connection, as a strap that is taken off does."""
        for connection in list(self.device.connections.values()):
            await connection.disconnect(REMOTE_USER_TERMINATED)
        return {"at": boot_ms()}

    async def events(self):
        """All events until now."""
        return {
            "connections": self.connections, "connected": len(self.device.connections), "requests": self.requests,
            "subscriptions": self.subscriptions, "sent": self.sent, "answers": self.answers,
        }

    # Events.

    def connected(self, connection):
        self.connections.append({"at": boot_ms(), "peer": str(connection.peer_address)})
        connection.on("disconnection", lambda reason: self.disconnected(reason))
        if self.mode == "asks":
            # An exchange of MTU, and a read of the peer's own name.
            for request in ("02f700", "0a0300"):
                self.send(connection.handle, bytes.fromhex(request))

    async def long_term_key(self, handle, rand, diversifier):
        """The key for encryption with a host. After legacy pairing Bumble returns the host's key instead of ours."""
        connection = self.device.lookup_connection(handle)
        if key := self.device.smp_manager.get_long_term_key(connection, rand, diversifier):
            return key
        keys = await self.device.keystore.get(str(connection.peer_address))
        key = keys and (keys.ltk or keys.ltk_central)
        return key and key.value

    def disconnected(self, reason):
        self.connections[-1] |= {"ended": boot_ms(), "reason": reason}
        self.rest()

    def subscribed(self, _connection, notifies, _indicates):
        self.rest()
        if notifies:
            self.subscriptions += 1
            self.beating = asyncio.get_running_loop().create_task(self.beat())

    def rest(self):
        if self.beating:
            self.beating.cancel()
        self.beating = None

    async def beat(self):
        await asyncio.sleep(self.period * self.random.random())
        while True:
            value = self.value()
            self.sent.append({"at": boot_ms(), "value": value.hex(), "connection": self.connections[-1]["at"]})
            if self.mode == "indicates":
                for handle in self.device.connections:
                    self.send(handle, bytes([0x1D]) + self.measurement.handle.to_bytes(2, "little") + value)
            else:
                await self.device.notify_subscribers(self.measurement, value)
            await asyncio.sleep(self.period)

    def value(self):
        """The next measurement: of the list, in a loop; else with RR intervals that are all different."""
        self.beats += 1
        if self.values:
            return self.values[(self.beats - 1) % len(self.values)]
        return bytes([0x16, 60 + self.beats % 60]) + (400 + self.beats % 1600).to_bytes(2, "little")

    def received(self, handle, pdu):
        """Handles a PDU of the peer before Bumble does.

        - `good`, `asks`, `indicates`: Bumble answers
        - `mute`: no answer
        - `nonsense`: the answer has the right opcode, but otherwise wrong content
        """
        self.requests += 1
        if pdu[0] in (0x01, 0x03, 0x0B, 0x1E):  # answers to what we asked or said
            self.answers.append(pdu.hex())
        elif self.mode == "mute":
            pass
        elif self.mode == "nonsense":
            self.send(handle, bytes([pdu[0] + 1]) + self.random.randbytes(self.random.randrange(20)))
        else:
            self.device.on_gatt_pdu(handle, pdu)

    def send(self, handle, pdu):
        self.device.send_l2cap_pdu(handle, att.ATT_CID, pdu)


Strap.Process = StrapProcess
