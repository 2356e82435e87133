#!/usr/bin/env python3
"""A heart-rate strap: Bumble's whole GATT server, whose bearer is a Unix SEQPACKET socket instead of an L2CAP channel.

One datagram is one ATT PDU, as on L2CAP's channel 4; no kernel Bluetooth is needed. Every accepted client is a new
connection, and one that closes is a disconnect: its subscriptions are lost, as on a strap without a bond.

It has heart rate, battery (87 %), device information and Polar's measurement service. Heart-rate values are those of
SCRIPT, from the first on at each subscription, one every PERIOD seconds.
"""
import argparse
import asyncio
import logging
import os
import socket
import sys
import time

from bumble import att
from bumble.controller import Controller
from bumble.device import Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.host import Host
from bumble.link import LocalLink
from bumble.profiles.battery_service import BatteryService
from bumble.profiles.device_information_service import DeviceInformationService
from bumble.profiles.heart_rate_service import HeartRateService

# A real capture, one RR, two RR, 16 bits, no contact, 0 bpm, energy and RR, contact and three RR of 1024.
SCRIPT = [bytes.fromhex(value) for value in (
    "16468a034403", "10437203", "104472038a03", "012c01", "0443", "0400", "1843d0077203", "1646000400040004")]

# Opcodes of answers.
ANSWERS = (0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x11, 0x13)

MEASUREMENT_SERVICE = "FB005C80-02E7-F387-1CAD-8ACD2D8DF0C8"
MEASUREMENT_CONTROL = "FB005C81-02E7-F387-1CAD-8ACD2D8DF0C8"
MEASUREMENT_DATA = "FB005C82-02E7-F387-1CAD-8ACD2D8DF0C8"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", help="of the socket")
    parser.add_argument("period", nargs="?", type=float, default=1.0, help="seconds between notifications")
    parser.add_argument("--name", default="Polar H10 00000000")
    parser.add_argument("--manufacturer", default="Polar Electro Oy")
    parser.add_argument("--values", metavar="HEX,…", help="heart-rate values to notify instead of the script")
    parser.add_argument("--latency", type=float, default=0, metavar="MS", help="send each answer so much later")
    parser.add_argument("--twice", type=float, metavar="MS", help="send each answer once more, so much later")
    parser.add_argument("--until-eof", action="store_true", help="end when standard input does")
    parser.add_argument("--verbose", action="store_true",
                        help="print each value sent and when connections are taken, with CLOCK_BOOTTIME in ns")
    return parser.parse_args()


def heart_rate_service():
    return HeartRateService(
        read_heart_rate_measurement=lambda _: HeartRateService.HeartRateMeasurement(60),
        body_sensor_location=HeartRateService.BodySensorLocation.CHEST,
        reset_energy_expended=lambda _: None)


def measurement_service(strap):
    """Polar's service: its control point answers by indication, and stalls until each is confirmed."""
    def write(_, value):
        kind = value[1] if len(value) > 1 else 0
        answers = {
            1: bytes([0xF0, 1, kind, 0, 0]) + bytes.fromhex("00018200 01010e00"),  # ECG, 130 Hz, 14 bits
            2: bytes([0xF0, 2, kind, 0, 0]),
            3: bytes([0xF0, 3, kind, 0]),
        }
        answer = answers.get(value[0], bytes([0xF0, value[0], kind, 1]))
        asyncio.get_running_loop().create_task(strap.indicate_subscribers(control, answer))

    properties = Characteristic.Properties
    control = Characteristic(
        MEASUREMENT_CONTROL, properties.READ | properties.WRITE | properties.INDICATE,
        Characteristic.READABLE | Characteristic.WRITEABLE,
        CharacteristicValue(read=lambda _: bytes.fromhex("0f05") + bytes(15), write=write))
    data = Characteristic(MEASUREMENT_DATA, properties.NOTIFY, Characteristic.READABLE, b"")
    return Service(MEASUREMENT_SERVICE, [control, data])


async def main(options):
    loop = asyncio.get_running_loop()
    link = LocalLink()
    devices = []
    for index, address in enumerate(("F6:49:0D:00:00:01", "F0:00:00:00:00:02")):
        host = Host()
        host.controller = Controller(f"C{index}", link=link)
        devices.append(Device(name=options.name, address=Address(address), host=host))
    strap, proxy = devices  # the proxy carries the socket's PDUs over the virtual air to the strap
    heart = heart_rate_service()
    values = heart.heart_rate_measurement_characteristic
    strap.add_services([
        DeviceInformationService(
            manufacturer_name=options.manufacturer, model_number="H10", firmware_revision="5.0.0"),
        heart, BatteryService(lambda _: 87), measurement_service(strap)])
    for device in devices:
        await device.power_on()

    beating = None
    script = [bytes.fromhex(value) for value in options.values.split(",")] if options.values else SCRIPT

    async def beat():
        index = 0
        while True:
            await asyncio.sleep(options.period)
            value = script[index % len(script)]
            if options.verbose:
                print("sent", time.clock_gettime_ns(time.CLOCK_BOOTTIME), value.hex(), flush=True)
            await strap.notify_subscribers(values, value)
            index += 1

    def stop_beating():
        nonlocal beating
        if beating:
            beating.cancel()
        beating = None

    def subscribed(_connection, notifies, _indicates):
        nonlocal beating
        stop_beating()
        if notifies:
            beating = loop.create_task(beat())

    values.on("subscription", subscribed)

    if options.until_eof:
        loop.add_reader(sys.stdin, lambda: os.read(0, 4096) or os._exit(0))
    if os.path.exists(options.path):
        os.unlink(options.path)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.bind(options.path)
    server.listen(1)
    server.setblocking(False)
    print("listening", options.path, flush=True)
    if options.verbose:
        print("ready", time.clock_gettime_ns(time.CLOCK_BOOTTIME), flush=True)

    client = None

    def send(pdu):
        if client:
            client.send(pdu)

    def send_later(milliseconds, pdu):
        loop.call_later(milliseconds / 1000, send, pdu) if milliseconds else send(pdu)

    def answer(_connection, pdu):
        pdu = bytes(pdu)
        # Notifications, indications and the strap's own requests are sent at once, and once.
        if pdu[0] not in ANSWERS:
            return send(pdu)
        send_later(options.latency, pdu)
        if options.twice is not None:
            send_later(options.latency + options.twice, pdu)

    proxy.l2cap_channel_manager.register_fixed_channel(att.ATT_CID, answer)
    while True:
        client, _ = await loop.sock_accept(server)
        client.setblocking(False)
        await strap.start_advertising(auto_restart=False)
        connection = await proxy.connect(strap.random_address)
        try:
            while pdu := await loop.sock_recv(client, 1024):
                proxy.send_l2cap_pdu(connection.handle, att.ATT_CID, pdu)
        except OSError:
            pass
        stop_beating()
        client.close()
        client = None
        await connection.disconnect()
        print("client gone", flush=True)


if __name__ == "__main__":
    logging.basicConfig(level=os.environ.get("LOG", "ERROR"))
    asyncio.run(main(arguments()))
