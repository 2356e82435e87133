"""The certificates of a weather service: what is wrong with one is the reason in the topic."""

import datetime
import ipaddress
import ssl

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from harness.paced_net import first_figures, first_reason
from harness.weather_server import WeatherServer, now
from matrix import matrix

DAY = datetime.timedelta(days=1)


class Identity:
    """A certificate and its key, in a file; it is its own authority without another one."""

    def __init__(self, directory, name, since=-DAY, until=DAY, address="127.0.0.1", issuer=None):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        builder = (
            x509.CertificateBuilder().subject_name(self.name).issuer_name((issuer or self).name)
            .public_key(self.key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now() + since).not_valid_after(now() + until)
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]), False)
            .add_extension(x509.BasicConstraints(issuer is None, None), True))
        self.certificate = builder.sign((issuer or self).key, hashes.SHA256())
        self.path = directory / f"{name}.pem"
        pem = serialization.Encoding.PEM
        self.path.write_bytes(
            self.certificate.public_bytes(pem) + self.key.private_bytes(
                pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))


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
