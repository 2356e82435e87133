"""The certificates of a weather service: what is wrong with one is the reason in the topic."""

import ssl

import pytest

from harness.certificates import DAY, Identity
from harness.paced_net import first_figures, first_reason
from harness.weather_server import WeatherServer
from matrix import matrix


@pytest.fixture
def serve(weather):
    """Starts the service with a certificate, and paced-net that trusts an authority."""
    directory = weather.stage.directory
    authority = Identity(directory, "authority")

    def start(network=f"Authorities={authority.path}", **certificate):
        issuer = None if certificate.pop("is_self_signed", False) else authority
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(Identity(directory, "server", issuer=issuer, **certificate).path)
        weather.server = weather.stage.keep(WeatherServer(context=context))
        weather.add_stations(weather.server)
        weather.start(network=network)
        return weather.watch()

    return start


def test_certificate_of_a_known_authority_is_accepted(serve):
    assert first_figures(serve())["station"] == "EDDB"


@pytest.mark.parametrize("certificate, reason", matrix([
    # The clock of a board without a battery is behind.
    ({"since": 30 * DAY, "until": 60 * DAY}, "clock not set? {host}: certificate not valid yet"),
    ({"since": -60 * DAY, "until": -30 * DAY}, "the certificate of {host} is not valid"),
    ({"is_self_signed": True}, "the certificate of {host} is not valid"),
    ({"address": "127.0.0.2"}, "the certificate of {host} is not valid"),
    ({"network": ""}, "the certificate of {host} is not valid"),
], {"is_self_signed": True}), ids=["not valid yet", "expired", "self-signed", "of another host", "of an authority that the system does not know"])
def test_wrong_certificate_has_its_reason(weather, serve, certificate, reason):
    first_reason(serve(**certificate), reason.format(host=weather.server.name), seconds=20)
    # Nothing was sent to the wrong server.
    assert weather.server.count() == 0
    assert "rejects a line" not in weather.net.log_text()


def test_plain_http_at_the_port_has_its_reason(weather):
    weather.start(server=weather.server.address.replace("http:", "https:"))
    first_reason(weather.watch(), f"{weather.server.name}: SSL connect error")
