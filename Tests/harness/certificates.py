"""Certificates that a test makes: of its own authority, for another name, not yet valid."""

import datetime
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

DAY = datetime.timedelta(days=1)


def subject(address):
    """What a certificate is for: an address, or else a name."""
    try:
        return x509.IPAddress(ipaddress.ip_address(address))
    except ValueError:
        return x509.DNSName(address)


class Identity:
    """A certificate and its key, in a file; it is its own authority without another one."""

    def __init__(self, directory, name, since=-DAY, until=DAY, address="127.0.0.1", issuer=None):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = (
            x509.CertificateBuilder().subject_name(self.name).issuer_name((issuer or self).name)
            .public_key(self.key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now + since).not_valid_after(now + until)
            .add_extension(x509.SubjectAlternativeName([subject(address)]), False)
            .add_extension(x509.BasicConstraints(issuer is None, None), True))
        self.certificate = builder.sign((issuer or self).key, hashes.SHA256())
        self.path = directory / f"{name}.pem"
        pem = serialization.Encoding.PEM
        self.path.write_bytes(
            self.certificate.public_bytes(pem) + self.key.private_bytes(
                pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
