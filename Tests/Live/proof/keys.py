"""Keys from a seed, strong and weak, and what they sign with PyPI's cryptography."""

import hashlib

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa

import der

SMALL_PRIMES = [n for n in range(3, 2000, 2) if all(n % d for d in range(3, int(n**0.5) + 1, 2))]
HASHES = {"sha1": hashes.SHA1(), "sha256": hashes.SHA256(), "sha384": hashes.SHA384(), "sha512": hashes.SHA512()}
DIGEST_INFO = {
    "sha1": "1.3.14.3.2.26", "sha256": "2.16.840.1.101.3.4.2.1", "sha384": "2.16.840.1.101.3.4.2.2",
    "sha512": "2.16.840.1.101.3.4.2.3",
}
RSA, EC = "1.2.840.113549.1.1", "1.2.840.10045"
ALGORITHMS = {
    **{f"ecdsa-{hash}": der.sequence(der.oid(f"{EC}.4.{number}"))
       for hash, number in [("sha1", "1"), ("sha256", "3.2"), ("sha384", "3.3"), ("sha512", "3.4")]},
    **{f"rsa-{hash}": der.sequence(der.oid(f"{RSA}.{number}"), der.NULL)
       for hash, number in [("sha1", 5), ("sha256", 11), ("sha384", 12), ("sha512", 13)]},
    "ed25519": der.sequence(der.oid("1.3.101.112")),
}
HASH_256 = der.sequence(der.oid(DIGEST_INFO["sha256"]), der.NULL)
ALGORITHMS["pss-sha256"] = der.sequence(
    der.oid(f"{RSA}.10"),
    der.sequence(der.tlv(0xA0, HASH_256), der.tlv(0xA1, der.sequence(der.oid(f"{RSA}.8"), HASH_256)),
                 der.tlv(0xA2, der.integer(32))))


def is_prime(number, random):
    if any(number % prime == 0 for prime in SMALL_PRIMES):
        return False
    odd, shift = number - 1, 0
    while odd % 2 == 0:
        odd, shift = odd // 2, shift + 1
    for _ in range(12):
        power = pow(random.randrange(2, number - 1), odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(shift - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


def prime(bits, exponent, random):
    while True:
        number = random.getrandbits(bits) | 3 << bits - 2 | 1
        if (number - 1) % exponent and is_prime(number, random):
            return number


def padded(digest_name, message, count):
    """EMSA-PKCS1-v1_5 (RFC 8017, section 9.2)."""
    digest = hashlib.new(digest_name, message).digest()
    info = der.sequence(der.sequence(der.oid(DIGEST_INFO[digest_name]), der.NULL), der.octets(digest))
    return b"\0\1" + b"\xff" * (count - len(info) - 3) + b"\0" + info


class Key:
    """A private key with `spki`, and `kind`: ec, rsa or ed25519."""

    def __init__(self, kind, private, strong=True):
        self.kind, self.private, self.is_strong = kind, private, strong
        self.spki = private.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        self.pkcs8 = private.private_bytes(
            serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())

    def algorithm(self, hash="sha256"):
        return {"ec": f"ecdsa-{hash}", "rsa": f"rsa-{hash}", "ed25519": "ed25519"}[self.kind]

    def sign(self, algorithm, message):
        """Signs as an algorithm says, or, for a key of another kind, as the key can."""
        scheme, _, hash = algorithm.partition("-")
        hash = HASHES.get(hash, HASHES["sha256"])
        if self.kind == "ec":
            return self.private.sign(message, ec.ECDSA(hash, deterministic_signing=True))
        if self.kind == "rsa":
            if scheme == "pss":
                return self.private.sign(message, padding.PSS(padding.MGF1(hash), 32), hash)
            return self.private.sign(message, padding.PKCS1v15(), hash)
        return self.private.sign(message)

    @property
    def bit_string(self):
        """What SHA-1 makes a key's identifier of."""
        return der.children(self.spki)[1][3:] if len(self.spki) < 128 else der.children(self.spki)[1][5:]


class EveryonesKey(Key):
    """RSA with the exponent 1, under which every padded digest is a signature of itself."""

    def __init__(self, modulus):
        self.kind, self.is_strong, self.pkcs8 = "rsa", False, b""
        self.count = (modulus.bit_length() + 7) // 8
        self.spki = rsa_spki(modulus, 1)

    def sign(self, algorithm, message):
        return padded(algorithm.partition("-")[2] if algorithm.startswith("rsa") else "sha256", message, self.count)


def rsa_spki(modulus, exponent):
    return der.sequence(
        der.sequence(der.oid(f"{RSA}.1"), der.NULL),
        der.bits(der.sequence(der.integer(modulus), der.integer(exponent))))


ORDERS = {
    "P-256": 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    "P-384": int("F" * 48 + "C7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973", 16),
}
CURVES = {"P-256": ec.SECP256R1(), "P-384": ec.SECP384R1()}


def curve_key(curve, random, strong=True):
    return Key("ec", ec.derive_private_key(random.getrandbits(curve.key_size - 1) | 1, curve), strong)


def rsa_private(bits, random, exponent=65537):
    p, q = prime(bits // 2, exponent, random), prime(bits // 2, exponent, random)
    d = pow(exponent, -1, (p - 1) * (q - 1))
    numbers = rsa.RSAPrivateNumbers(
        p, q, d, d % (p - 1), d % (q - 1), pow(q, -1, p), rsa.RSAPublicNumbers(exponent, p * q))
    return numbers.private_key(unsafe_skip_rsa_key_validation=True)


class Pool:
    """The keys of a run: strong ones for everybody, and weak or rare ones by name."""

    def __init__(self, random):
        self.strong = [curve_key(ec.SECP256R1(), random) for _ in range(8)]
        self.strong += [curve_key(ec.SECP384R1(), random) for _ in range(4)]
        self.p256 = self.strong[:8]
        self.rsa = Key("rsa", rsa_private(2048, random))
        self.strong.append(self.rsa)
        self.rare = {
            "rsa-1024": Key("rsa", rsa_private(1024, random), strong=False),
            "rsa-exponent-3": Key("rsa", rsa_private(2048, random, exponent=3)),
            "rsa-exponent-1": EveryonesKey(self.rsa.private.public_key().public_numbers().n),
            "p-521": curve_key(ec.SECP521R1(), random),
            "p-192": curve_key(ec.SECP192R1(), random, strong=False),
            "secp256k1": curve_key(ec.SECP256K1(), random, strong=False),
            "ed25519": Key("ed25519", ed25519.Ed25519PrivateKey.from_private_bytes(random.randbytes(32))),
        }
