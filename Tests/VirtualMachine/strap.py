"""Heart-rate straps in the machine's air: Bumble's whole peripheral side, each strap a process of its own."""
import asyncio
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Peripheral"))

from att_peripheral import heart_rate_service, measurement_service
from bumble import att
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, DeviceConfiguration
from bumble.hci import Address
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.profiles.battery_service import BatteryService
from bumble.profiles.device_information_service import DeviceInformationService
from bumble.transport import open_transport

from forked import Forked
from harness.timing import boot_ms

# Between advertisements, in milliseconds: a strap that was just put on sends faster, one that waits slower.
ADVERTISING = 100

REMOTE_USER_TERMINATED = 0x13


class Strap(Forked):
    """A strap, host of a controller: Bumble says where that is. One of the kernel's must not be powered.

    One that `pairs` lets only a paired host subscribe, and lets every host pair.
    """

    def __init__(self, controller, name="Polar H10 9AD13824", address="F0:F1:F2:F3:F4:F5", pairs=False):
        super().__init__(controller=controller, name=name, address=address, pairs=pairs, beats=0)
        self.earlier = []

    def start(self, **fields):
        """Starts the process and the advertising: fields as in `advertise`. Gives when it was in the air."""
        super().start()
        return self.do("advertise", **fields)["at"]

    def told(self):
        """What `StrapProcess.told` gives; what was sent by those before it that were killed comes first."""
        told = self.do("told")
        return told | {"sent": self.earlier + told["sent"]}

    def kill(self):
        """Ends it without a word. Its heart beats on: the next one's begins where this one's ended."""
        if self.pid:
            self.earlier = self.told()["sent"]
            self.settings["beats"] = len(self.earlier)
        super().kill()


class Consent(PairingDelegate):
    """Says yes to whoever wants to be paired, once the strap is willing."""

    def __init__(self):
        super().__init__()
        self.willing = asyncio.Event()
        self.willing.set()

    async def accept(self):
        await self.willing.wait()
        return True


class StrapProcess:
    """What a strap does."""

    def __init__(self, controller, name, address, pairs, beats):
        self.controller, self.name, self.address, self.pairs = controller, name, address, pairs
        self.device = None
        self.consent = Consent()
        self.heart = heart_rate_service()
        self.measurement = self.heart.heart_rate_measurement_characteristic
        self.beating = None
        self.values, self.period, self.beats = None, 1.0, beats
        self.mode = "good"
        self.random = random.Random(1)
        # What is told by `told`: times are CLOCK_BOOTTIME in ms.
        self.connections, self.requests, self.subscriptions, self.sent, self.answers = [], 0, 0, [], []

    async def power_on(self):
        settings = DeviceConfiguration(
            name=self.name, address=Address(self.address), advertising_interval_min=ADVERTISING,
            advertising_interval_max=ADVERTISING, keystore=f"JsonKeyStore:/run/{self.address}.keys")
        transport = await open_transport(self.controller)
        self.device = Device.from_config_with_hci(settings, transport.source, transport.sink)
        self.device.add_services([
            DeviceInformationService(
                manufacturer_name="Polar Electro Oy", model_number="H10", serial_number=self.name.split()[-1],
                firmware_revision="5.0.0"),
            self.heart, BatteryService(lambda _: 87), measurement_service(self.device)])
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
        """Is in the air; until it is connected, and again after each connection."""
        if mode:
            await self.be(**mode)
        data = [(AdvertisingData.FLAGS, bytes([0x06]))]
        if service:
            data.append((AdvertisingData.INCOMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes(UUID.from_16_bits(0x180D))))
        if named:
            data.append((AdvertisingData.COMPLETE_LOCAL_NAME, self.name.encode()))
        self.device.advertising_data = bytes(AdvertisingData(data))
        await self.device.start_advertising(auto_restart=True)
        return {"at": boot_ms()}

    async def hide(self):
        """Is not in the air; a connection goes on."""
        await self.device.stop_advertising()

    async def be(self, mode=None, values=None, period=None):
        """How it behaves from now on: its mode (see `received`), its measurements in hexadecimal, seconds between them."""
        self.mode = mode or self.mode
        self.period = period or self.period
        if values is not None:
            self.values, self.beats = [bytes.fromhex(value) for value in values], 0

    async def hesitate(self):
        """Answers nobody who wants to be paired, until it agrees."""
        self.consent.willing.clear()

    async def agree(self):
        self.consent.willing.set()

    async def drop(self):
        """Ends the connection, as a strap that is taken off does."""
        for connection in list(self.device.connections.values()):
            await connection.disconnect(REMOTE_USER_TERMINATED)
        return {"at": boot_ms()}

    async def told(self):
        """What has happened to it so far."""
        return {
            "connections": self.connections, "connected": len(self.device.connections), "requests": self.requests,
            "subscriptions": self.subscriptions, "sent": self.sent, "answers": self.answers,
        }

    # What happens.

    def connected(self, connection):
        self.connections.append({"at": boot_ms(), "peer": str(connection.peer_address)})
        connection.on("disconnection", lambda reason: self.disconnected(reason))
        if self.mode == "asks":
            # An exchange of MTU, and a read of the peer's own name.
            for request in ("02f700", "0a0300"):
                self.send(connection.handle, bytes.fromhex(request))

    async def long_term_key(self, handle, rand, diversifier):
        """What the host wants to encrypt with. After a pairing of the older kind Bumble's own gives the host's key for ours."""
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
            self.sent.append({"at": boot_ms(), "value": value.hex()})
            if self.mode == "indicates":
                for handle in self.device.connections:
                    self.send(handle, bytes([0x1D]) + self.measurement.handle.to_bytes(2, "little") + value)
            else:
                await self.device.notify_subscribers(self.measurement, value)
            await asyncio.sleep(self.period)

    def value(self):
        """The next measurement: of the list, round and round; else a heart whose every RR interval is another one."""
        self.beats += 1
        if self.values:
            return self.values[(self.beats - 1) % len(self.values)]
        return bytes([0x16, 60 + self.beats % 60]) + (400 + self.beats % 1600).to_bytes(2, "little")

    def received(self, handle, pdu):
        """A PDU of the peer, before Bumble has it.

        - `good`, `asks`, `indicates`: Bumble answers
        - `mute`: nobody does
        - `nonsense`: what answers has the right opcode and nothing else right
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
