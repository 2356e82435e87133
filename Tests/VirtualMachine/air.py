"""A virtual radio medium of Bumble controllers, the kernel's adapters. Its links time out as real ones do.

btvirt's controllers, the other medium, cannot be removed one by one, and a link to a dead peer lasts forever there.
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
    """A controller whose links time out when its peer's host resets, as the kernel of a killed process does."""

    # Without extended advertising, as on most boards, so that the kernel and Bumble use the plainest commands.
    le_features = Controller.le_features & ~(
        type(Controller.le_features).LE_EXTENDED_ADVERTISING | type(Controller.le_features).LE_PERIODIC_ADVERTISING
        | type(Controller.le_features).LL_PRIVACY)

    # The parameters of the last connection request: intervals in 1.25 ms, timeout in 10 ms.
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
        """Bumble's own returns success and connects all the same, to a host that has cancelled."""
        wanted, self.pending_le_connection = self.pending_le_connection, None
        if not wanted:
            return HCI_StatusReturnParameters(HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        asyncio.get_running_loop().call_soon(self.send_hci_packet, HCI_LE_Connection_Complete_Event(
            status=HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, connection_handle=0, role=0,
            peer_address_type=wanted.peer_address_type, peer_address=wanted.peer_address, connection_interval=0,
            peripheral_latency=0, supervision_timeout=0, central_clock_accuracy=0))
        return HCI_StatusReturnParameters(HCI_ErrorCode.SUCCESS)

    def fall_silent(self):
        """Stops advertising and answering; a peer notices at the end of the link's supervision timeout."""
        self.le_scan_enable = False
        self.pending_le_connection = None
        self.le_legacy_advertiser.stop()
        for peer_address, connection in list(self.le_connections.items()):
            del self.le_connections[peer_address]
            peer = self.link.find_le_controller(peer_address)
            theirs = peer and peer.le_connections.get(connection.self_address)
            if theirs:
                # The initiator of the link has set its timeout, in 10 ms.
                timeout = (peer.asked or self.asked)["supervision"] / 100
                asyncio.get_running_loop().call_later(timeout, peer.lose, theirs)

    def lose(self, connection, reason=CONNECTION_TIMEOUT):
        """Ends a connection without a message from the peer."""
        if self.le_connections.get(connection.peer_address) is connection:
            self.on_le_disconnected(connection, reason)


class AirLink(LocalLink):
    """The medium. Bumble's own assumes a random address for every sender of data; the kernel's adapter is public."""

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        sender = sender_controller.le_connections.get(destination_address)
        receiver = self.find_le_controller(destination_address)
        if sender and receiver:
            asyncio.get_running_loop().call_soon(receiver.on_link_acl_data, sender.self_address, transport, data)


def place(number):
    """The HCI transport of a controller that is not the kernel's, in Bumble's syntax: an abstract socket."""
    return f"@paced-air-{number}"


class Air(Forked):
    """A number of controllers: the first is the kernel's, hci0; the others are for straps, one host each.

    The straps' controllers are hidden from the kernel, because bluetoothd powers every adapter that it finds.
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
            """Adds a controller, always with the same address; the kernel gives its own the lowest free index."""
            transport = await open_transport(f"unix-server:{place(number)}" if number else "vhci")
            controller = AirController(
                f"hci{number}", host_source=transport.source, host_sink=transport.sink, link=self.link,
                public_address=f"00:AA:01:00:00:{0x40 + number:02X}")
            self.controllers[number] = transport, controller
            await asyncio.sleep(0.1)
            return {"at": boot_ms()}

        async def unplug(self, number):
            """Removes a controller from the kernel."""
            transport, controller = self.controllers.pop(number)
            controller.fall_silent()
            controller.host = None
            self.link.remove_controller(controller)
            await transport.close()
            return {"at": boot_ms()}

        async def silence(self, number):
            """Silences a controller whose host process was killed."""
            transport, controller = self.controllers[number]
            transport.source.parser.reset()
            controller.fall_silent()

        async def occupy(self):
            """Adds a controller on an empty medium at the lowest free index."""
            transport = await open_transport("vhci")
            other = AirController("other", host_source=transport.source, host_sink=transport.sink, link=AirLink(),
                                  public_address="00:AA:01:00:00:7F")
            self.controllers["other"] = transport, other
            await asyncio.sleep(0.1)

        async def asked(self, number):
            """The parameters of the host's last connection request."""
            return self.controllers[number][1].asked

        async def state(self):
            """What each controller does: links, the awaited peer, advertising, scanning."""
            return {number: {
                "links": [str(peer) for peer in controller.le_connections],
                "awaits": controller.pending_le_connection and str(controller.pending_le_connection.peer_address),
                "advertises": controller.le_legacy_advertiser.enabled, "scans": bool(controller.le_scan_enable),
            } for number, (_, controller) in self.controllers.items()}

        async def end(self, number, reason):
            """Ends a controller's links at both ends, with a reason that no host has given."""
            controller = self.controllers[number][1]
            for connection in list(controller.le_connections.values()):
                peer = self.link.find_le_controller(connection.peer_address)
                controller.lose(connection, reason)
                if theirs := peer.le_connections.get(connection.self_address):
                    peer.lose(theirs, reason)
