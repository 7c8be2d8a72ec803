"""Chains of certificates from a seed: a good one, and up to three things that are odd or wrong with it."""

import datetime
import hashlib

import der
from der import boolean, common_name, integer, named_bits, octets, oid, sequence, tlv, utc_time
from keys import ALGORITHMS

BASIC, USAGE, PURPOSES, NAMES = "2.5.29.19", "2.5.29.15", "2.5.29.37", "2.5.29.17"
OWN_KEY, ISSUER_KEY, CONSTRAINTS = "2.5.29.14", "2.5.29.35", "2.5.29.30"
SERVER, CLIENT, CODE, ANY = "1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.3", "2.5.29.37.0"
NONCE = "1.2.840.113635.100.8.2"
HOST, ADDRESS = "www.example.org", "192.0.2.1"
ADDRESS_BYTES = bytes([192, 0, 2, 1])
# What is good is so for as long as this program is used; what has expired or isn't valid yet stays so, too.
START, END = utc_time("200101000000Z"), utc_time("491231235959Z")


def dns(host):
    return tlv(0x82, host if isinstance(host, bytes) else host.encode())


def uri(text):
    return tlv(0x86, text if isinstance(text, bytes) else text.encode())


def address(content):
    return tlv(0x87, content)


class Certificate:
    """What a certificate is to say; `encoded` is filled in when the chain is built."""

    def __init__(self, subject, key):
        self.version = tlv(0xA0, integer(2))
        self.serial = integer(int.from_bytes(hashlib.sha256(subject + key.spki).digest()[:8], "big") | 1 << 62)
        self.hash = "sha256"
        self.algorithm = self.inner_algorithm = None
        self.issuer = self.signer = None
        self.start, self.end = START, END
        self.subject, self.key, self.spki = subject, key, key.spki
        self.extensions = {}
        self.wrapped_extensions = None
        self.unique = b""
        # Changes of the signed part, the signature and the whole, in this order.
        self.on_body, self.on_signature, self.on_whole = [], [], []
        self.encoded = None

    def say(self, kind, value, critical=False):
        """An extension; a critical one that is `b""` isn't written, as DER has it for the default."""
        self.extensions[kind] = sequence(oid(kind), boolean(True) if critical else b"", octets(value))

    def body(self, algorithm):
        extensions = self.wrapped_extensions
        if extensions is None:
            extensions = tlv(0xA3, sequence(*self.extensions.values())) if self.extensions else b""
        return sequence(
            self.version, self.serial, algorithm, self.issuer, sequence(self.start, self.end), self.subject,
            self.spki, self.unique, extensions)

    def build(self, issuer):
        self.issuer = issuer.subject if self.issuer is None else self.issuer
        signer = self.signer or issuer.key
        scheme = self.algorithm or signer.algorithm(self.hash)
        outer = ALGORITHMS.get(scheme, scheme)
        body = self.body(self.inner_algorithm or outer)
        body = changed(body, self.on_body)
        signature = signer.sign(scheme if isinstance(scheme, str) else signer.algorithm(self.hash), body)
        signature = changed(signature, self.on_signature)
        self.encoded = changed(sequence(body, outer, der.bits(signature)), self.on_whole)


def changed(encoded, changes):
    for change in changes:
        try:
            encoded = change(encoded)
        except (IndexError, ValueError, OverflowError):
            # An earlier change has left no elements that this one could find.
            pass
    return encoded


def identify(certificate, issuer):
    certificate.say(OWN_KEY, octets(hashlib.sha1(certificate.key.spki).digest()))
    certificate.say(ISSUER_KEY, sequence(tlv(0x80, hashlib.sha1(issuer.key.spki).digest())))


class Chain:
    """From the leaf to the root, for one of the lanes:

    server: a client of ours judges a server's certificate for `host`;
    client: a listener of ours judges a caller's, and reads its role;
    attest: the leaf, one intermediate certificate and the root of App Attest, at a time.
    """

    LANES = ("server", "client", "attest")

    def __init__(self, lane, pool, random):
        self.lane, self.pool, self.random = lane, pool, random
        self.labels = []
        self.host = random.choice([HOST, HOST, HOST, ADDRESS]) if lane == "server" else HOST
        self.time = int(datetime.datetime(2026, 7, 1, tzinfo=datetime.timezone.utc).timestamp())
        # What the peer sends besides the leaf; by default all that is between it and the root.
        self.sent = None
        count = 1 if lane == "attest" else random.choice([0, 1, 1, 2])
        keys = random.sample(pool.strong, count + 2)
        root = Certificate(common_name("Root"), keys[0])
        self.authority(root, root)
        self.all = [root]
        for number in range(count):
            one = Certificate(common_name(f"Intermediate {number}"), keys[number + 1])
            self.authority(one, self.all[0])
            self.all.insert(0, one)
        key = random.choice(pool.p256) if lane == "attest" else keys[-1]
        leaf = Certificate(common_name("laboratory"), key)
        identify(leaf, self.all[0])
        leaf.say(BASIC, sequence(), critical=True)
        leaf.say(USAGE, named_bits(0), critical=True)
        leaf.say(PURPOSES, sequence(oid(SERVER), oid(CLIENT)))
        leaf.say(NAMES, self.names(dns(HOST), address(ADDRESS_BYTES), uri("vigil:role:lab")))
        if lane == "attest":
            leaf.say(NONCE, sequence(tlv(0xA1, octets(random.randbytes(32)))))
        self.all.insert(0, leaf)

    @staticmethod
    def names(*names):
        return sequence(*names)

    @staticmethod
    def authority(one, issuer):
        one.say(BASIC, sequence(boolean(True)), critical=True)
        one.say(USAGE, named_bits(5, 6), critical=True)
        identify(one, issuer)

    @property
    def leaf(self):
        return self.all[0]

    @property
    def root(self):
        return self.all[-1]

    @property
    def authorities(self):
        return self.all[1:]

    @property
    def intermediates(self):
        return self.all[1:-1]

    def build(self):
        for one, issuer in reversed(list(zip(self.all, self.all[1:] + self.all[-1:]))):
            one.build(issuer)
        if self.sent is None:
            self.sent = self.intermediates
        for one in self.sent:
            # It was in the chain when something decided to send it, and isn't any more.
            if one.encoded is None:
                one.build(self.root)
        return self
