"""A virtual air of Bumble's controllers, which the kernel has as its adapters, and in which links are lost as in a real one.

btvirt's controllers, the other air, cannot be pulled out one by one, and a link whose peer died goes on for ever there.
"""
import asyncio

from bumble.controller import Controller
from bumble.hci import HCI_ErrorCode, HCI_LE_Connection_Complete_Event, HCI_StatusReturnParameters
from bumble.link import LocalLink
from bumble.transport import open_transport

from forked import Forked
from harness.timing import boot_ms

CONNECTION_TIMEOUT = 0x08


class AirController(Controller):
    """A controller whose links time out when the host at the other end resets its own: a killed process' kernel does."""

    # Without extended advertising, as on most boards, and so that the kernel and Bumble speak the plainest commands.
    le_features = Controller.le_features & ~(
        type(Controller.le_features).LE_EXTENDED_ADVERTISING | type(Controller.le_features).LE_PERIODIC_ADVERTISING
        | type(Controller.le_features).LL_PRIVACY)

    # What the last connection was asked for with: intervals in 1.25 ms, timeout in 10 ms.
    asked = None

    def on_hci_reset_command(self, command):
        self.fall_silent()
        return super().on_hci_reset_command(command)

    def on_hci_le_create_connection_command(self, command):
        self.asked = {
            "interval": [command.connection_interval_min, command.connection_interval_max],
            "latency": command.max_latency, "supervision": command.supervision_timeout,
        }
        return super().on_hci_le_create_connection_command(command)

    def on_hci_le_create_connection_cancel_command(self, command):
        """Bumble's own says yes and connects all the same, to a host that wants it no longer."""
        wanted, self.pending_le_connection = self.pending_le_connection, None
        if not wanted:
            return HCI_StatusReturnParameters(HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        asyncio.get_running_loop().call_soon(self.send_hci_packet, HCI_LE_Connection_Complete_Event(
            status=HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, connection_handle=0, role=0,
            peer_address_type=wanted.peer_address_type, peer_address=wanted.peer_address, connection_interval=0,
            peripheral_latency=0, supervision_timeout=0, central_clock_accuracy=0))
        return HCI_StatusReturnParameters(HCI_ErrorCode.SUCCESS)

    def fall_silent(self):
        """Neither advertises nor answers any more; a peer notices at the end of the link's supervision timeout."""
        self.le_scan_enable = False
        self.pending_le_connection = None
        self.le_legacy_advertiser.stop()
        for peer_address, connection in list(self.le_connections.items()):
            del self.le_connections[peer_address]
            peer = self.link.find_le_controller(peer_address)
            theirs = peer and peer.le_connections.get(connection.self_address)
            if theirs:
                # Whoever made the link asked for its timeout, in 10 ms.
                timeout = (peer.asked or self.asked)["supervision"] / 100
                asyncio.get_running_loop().call_later(timeout, peer.lose, theirs)

    def lose(self, connection, reason=CONNECTION_TIMEOUT):
        """Ends a connection without the peer's word."""
        if self.le_connections.get(connection.peer_address) is connection:
            self.on_le_disconnected(connection, reason)


class AirLink(LocalLink):
    """The air. Bumble's own takes every sender of data for one with a random address; the kernel's adapter is public."""

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        sender = sender_controller.le_connections.get(destination_address)
        receiver = self.find_le_controller(destination_address)
        if sender and receiver:
            asyncio.get_running_loop().call_soon(receiver.on_link_acl_data, sender.self_address, transport, data)


def place(number):
    """Where a controller that is not the kernel's has its host, as Bumble says it: an abstract socket."""
    return f"@paced-air-{number}"


class Air(Forked):
    """So many controllers, as long as it lives: the first is the kernel's, as hci0; the others are for straps, one host each.

    The kernel hears nothing of the straps' controllers: bluetoothd powers every adapter that it finds.
    """

    class Process:
        def __init__(self, controllers):
            self.count = controllers
            self.link = AirLink()
            self.controllers = {}

        async def power_on(self):
            for number in range(self.count):
                await self.plug(number)

        async def plug(self, number):
            """A controller is there, always of the same address; the kernel gets its own under the lowest free index."""
            transport = await open_transport(f"unix-server:{place(number)}" if number else "vhci")
            controller = AirController(
                f"hci{number}", host_source=transport.source, host_sink=transport.sink, link=self.link,
                public_address=f"00:AA:01:00:00:{0x40 + number:02X}")
            self.controllers[number] = transport, controller
            await asyncio.sleep(0.1)
            return {"at": boot_ms()}

        async def unplug(self, number):
            """The kernel loses a controller."""
            transport, controller = self.controllers.pop(number)
            controller.fall_silent()
            controller.host = None
            self.link.remove_controller(controller)
            await transport.close()
            return {"at": boot_ms()}

        async def silence(self, number):
            """The process that was a controller's host was killed."""
            transport, controller = self.controllers[number]
            transport.source.parser.reset()
            controller.fall_silent()

        async def occupy(self):
            """The lowest free index goes to a controller that hears nobody."""
            transport = await open_transport("vhci")
            other = AirController("other", host_source=transport.source, host_sink=transport.sink, link=AirLink(),
                                  public_address="00:AA:01:00:00:7F")
            self.controllers["other"] = transport, other
            await asyncio.sleep(0.1)

        async def asked(self, number):
            """What a controller's host asked of its last connection."""
            return self.controllers[number][1].asked

        async def end(self, number, reason):
            """A controller's links end at both their ends, for a reason of the controllers' own."""
            controller = self.controllers[number][1]
            for connection in list(controller.le_connections.values()):
                peer = self.link.find_le_controller(connection.peer_address)
                controller.lose(connection, reason)
                if theirs := peer.le_connections.get(connection.self_address):
                    peer.lose(theirs, reason)
