"""A nearby device that requests pairing with the machine: a Bumble central."""
import asyncio

from bumble.device import Device, DeviceConfiguration
from bumble.hci import Address
from bumble.pairing import PairingConfig
from bumble.transport import open_transport

from forked import Forked


class Stranger(Forked):
    """A stranger, the host of a controller at the given HCI transport."""

    class Process:
        def __init__(self, controller):
            self.controller = controller

        async def power_on(self):
            transport = await open_transport(self.controller)
            self.device = Device.from_config_with_hci(
                DeviceConfiguration(name="Stranger", address=Address("F0:00:00:00:00:0D")),
                transport.source, transport.sink)
            self.device.pairing_config_factory = lambda _: PairingConfig(mitm=False)
            await self.device.power_on()

        async def pair(self, address, seconds):
            """Connects to a public address and requests pairing; returns the result."""
            connection = await asyncio.wait_for(self.device.connect(Address(f"{address}/P")), 10)
            try:
                await asyncio.wait_for(connection.pair(), seconds)
                return {"paired": True}
            except (Exception, asyncio.CancelledError) as error:  # cancelled: the link has ended
                return {"paired": False, "why": repr(error)}
            finally:
                if connection.handle in self.device.connections:
                    await connection.disconnect()
