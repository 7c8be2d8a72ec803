"""Algorithms beside PyPI's cryptography and Python's hashlib: each function makes one case from randomness."""

import hashlib
import hmac as python_hmac

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes, keywrap, serialization
from cryptography.hazmat.primitives import padding as block_padding
from cryptography.hazmat.primitives.asymmetric import ec, padding, utils, x25519
from cryptography.hazmat.primitives.ciphers import Cipher, aead, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

import der
from cases import Case, expect, mutated, strict
from keys import CURVES, HASHES, ORDERS, padded, rsa_private

LENGTHS = [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 1000]
FIELDS = {
    "P-256": 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF,
    "P-384": 2**384 - 2**128 - 2**96 + 2**32 - 1,
}


class Keys:
    """What is expensive to make, once for a run."""

    def __init__(self, random):
        self.curves = {
            name: [ec.derive_private_key(random.randrange(1, ORDERS[name]), curve) for _ in range(6)]
            for name, curve in CURVES.items()
        }
        self.rsa = [rsa_private(2048, random), rsa_private(2048, random, exponent=3), rsa_private(3072, random)]
        self.x25519 = [x25519.X25519PrivateKey.from_private_bytes(random.randbytes(32)) for _ in range(6)]


def some(random, *lengths):
    return random.randbytes(random.choice(lengths or LENGTHS))


# MARK: Hashes


def hash(random, keys):
    name, data = random.choice(["sha256", "sha384", "sha512", "sha1", "md5"]), some(random)
    return expect("hash", (name, data), hashlib.new(name, data).hexdigest())


def hmac(random, keys):
    name, key, data = random.choice(["sha256", "sha384", "sha512", "sha1"]), some(random), some(random)
    return expect("hmac", (name, key, data), python_hmac.new(key, data, name).hexdigest())


def hkdf(random, keys):
    name = random.choice(["sha256", "sha384", "sha512"])
    size = HASHES[name].digest_size
    secret, salt, info = some(random, 1, 16, 32, 64, 200), some(random), some(random)
    count = random.choice([1, 16, 32, 33, size, size + 1, 5 * size, 255 * size - 1,
        255 * size] if random.random() < 0.02 else [1, 16, 32, 42, 64, 100])
    key = HKDF(HASHES[name], count, salt or None, info).derive(secret)
    return expect("hkdf", (name, secret, salt, info, count), key.hex())


# MARK: Ciphers


AEADS = {"gcm": (aead.AESGCM, [16, 32]), "chacha": (aead.ChaCha20Poly1305, [32])}


def seal(random, keys):
    name = random.choice(list(AEADS))
    cipher, sizes = AEADS[name]
    key, nonce = some(random, *sizes * 6, 0, 15, 24, 31, 33, 64), some(random, 12, 12, 12, 12, 12, 0, 8, 11, 13, 16)
    message, data = some(random), some(random)
    words = None
    if len(key) in sizes and len(nonce) == 12:
        words = cipher(key).encrypt(nonce, message, data).hex()
    return expect("seal", (name, key, nonce, message, data), words)


def open_(random, keys):
    name = random.choice(list(AEADS))
    cipher, sizes = AEADS[name]
    key, nonce, message, data = some(random, *sizes), random.randbytes(12), some(random), some(random)
    sealed = cipher(key).encrypt(nonce, message, data)
    change = random.randrange(6)
    if change == 1:
        sealed = mutated(sealed, random)
    elif change == 2:
        data = mutated(data, random)
    elif change == 3:
        nonce = mutated(nonce, random)[:12].ljust(12, b"\0")
    elif change == 4:
        sealed = sealed[: random.randrange(17)]
    try:
        words = cipher(key).decrypt(nonce, sealed, data).hex()
    except (InvalidTag, ValueError):
        words = None
    return expect("open", (name, key, nonce, sealed, data), words)


def aes(random):
    return some(random, 16, 32)


def crypt(cipher, data, is_decryption=False):
    context = cipher.decryptor() if is_decryption else cipher.encryptor()
    return context.update(data) + context.finalize()


def cbc(random, keys):
    key, iv, message = aes(random), random.randbytes(16), some(random)
    if random.random() < 0.5:
        padder = block_padding.PKCS7(128).padder()
        text = padder.update(message) + padder.finalize()
        return expect("cbc-encrypt", (key, iv, message), crypt(Cipher(algorithms.AES(key), modes.CBC(iv)), text).hex())
    # The last byte says how many are to be taken off: of the right ones, of none, of too many, of some that differ.
    end = random.choice([bytes([n]) * n for n in range(1, 17)] + [b"\0", b"\x11" * 17, b"\1\2", b"\2\1\3\3",
        random.randbytes(3)])
    text = random.randbytes(-len(end) % 16 + 16 * random.randrange(3)) + end
    text = text if random.random() < 0.9 else text[: random.randrange(len(text))]
    try:
        sealed = crypt(Cipher(algorithms.AES(key), modes.CBC(iv)), text) if len(text) % 16 == 0 else text
        unpadder = block_padding.PKCS7(128).unpadder()
        plain = unpadder.update(crypt(Cipher(algorithms.AES(key), modes.CBC(iv)), sealed, is_decryption=True))
        words = (plain + unpadder.finalize()).hex() if sealed else None
    except ValueError:
        words = None
    return expect("cbc-decrypt", (key, iv, sealed), words)


def ctr(random, keys):
    key, message = aes(random), some(random)
    nonce = random.choice([random.randbytes(16), b"\xff" * 16, b"\xff" * 15 + b"\xfe", bytes(16),
        random.randbytes(8) + b"\xff" * 8])
    return expect("ctr", (key, nonce, message), crypt(Cipher(algorithms.AES(key), modes.CTR(nonce)), message).hex())


def block(random, keys):
    key, message = aes(random), some(random, 16, 16, 16, 16, 0, 15, 17, 32)
    words = crypt(Cipher(algorithms.AES(key), modes.ECB()), message).hex() if len(message) == 16 else None
    return expect("block", (key, message), words)


def wrap(random, keys):
    key, secret = aes(random), some(random, 16, 24, 32, 40, 64)
    wrapped = keywrap.aes_key_wrap(key, secret)
    if random.random() < 0.5:
        return expect("wrap", (key, secret), wrapped.hex())
    if random.random() < 0.6:
        wrapped = mutated(wrapped, random)
    try:
        words = keywrap.aes_key_unwrap(key, wrapped).hex()
    except (keywrap.InvalidUnwrap, ValueError):
        words = None
    return expect("unwrap", (key, wrapped), words)


# MARK: Curves


def number_at_limits(name, random, usual):
    order = ORDERS[name]
    return random.choice([usual] * 4 + [0, 1, 2, order - 1, order, order + 1, order - usual % order,
        (usual + order) % (1 << order.bit_length()), FIELDS[name] % (1 << order.bit_length()),
        (1 << order.bit_length()) - 1, random.getrandbits(order.bit_length())])


def signature_in_der(r, s, random):
    """Right, or in one of the forms that BER has besides, or none at all."""
    right = der.sequence(der.integer(r), der.integer(s))
    content = der.integer(r) + der.integer(s)
    size = len(der.integer(r)) - 2
    return random.choice([right] * 12 + [
        right + b"\0", right + right, der.tlv(0x30, content, size=1), der.tlv(0x30, content, size=2),
        der.tlv(0x30, content, size=8),
        b"\x30\x80" + content + b"\0\0", der.sequence(content, der.NULL), der.sequence(der.integer(r)), der.sequence(),
        der.sequence(der.tlv(2, b"\0", der.integer(r)[2:]), der.integer(s)),
        der.sequence(der.integer(-r - 1), der.integer(s)),
        der.sequence(der.integer(r), der.tlv(2, der.integer(s)[2:], size=1)), der.sequence(der.tlv(2), der.integer(s)),
        der.sequence(der.tlv(3, b"\0", der.integer(r)[2:]), der.integer(s)), der.tlv(0x31, content), b"", b"\x30",
        b"\x30\x84\xff\xff\xff\xff",
        der.sequence(b"\x22" + bytes([size + 2]) + der.integer(r), der.integer(s)), right[:-1],
        der.sequence(der.octets(right)),
        der.sequence(der.integer(s), der.integer(r)), der.sequence(der.integer(r << 8), der.integer(s)),
        mutated(right, random)])


def point(private):
    return private.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def point_in_another_form(name, right, random):
    size = len(right) // 2
    x, y = int.from_bytes(right[1 : 1 + size], "big"), int.from_bytes(right[1 + size :], "big")
    field = FIELDS[name]

    def both(x, y):
        return b"\4" + x.to_bytes(size, "big") + y.to_bytes(size, "big")

    return random.choice([
        bytes([2 + y % 2]) + right[1 : 1 + size], bytes([6 + y % 2]) + right[1:], bytes([7 - y % 2]) + right[1:], b"\0",
        b"",
        b"\0" + bytes(2 * size), both(x, field - y), both(x, y ^ 1), both(x ^ 1, y), both(0, 0), both(0, y),
        both(field, y), both(x, field),
        both(field - 1, y), both((1 << 8 * size) - 1, y), both(y, x), right + b"\0", right[:-1], b"\5" + right[1:],
        b"\3" + right[1:], right[1:],
        b"\4" + right, mutated(right, random), both(1, 1), b"\1" + right[1:]])


def read_point(name, encoded):
    """The public key of an uncompressed point, the one form that the suite reads; None for others."""
    if encoded[:1] != b"\4":
        return None
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(CURVES[name], encoded)
    except ValueError:
        return None


def ec_point(random, keys):
    name = random.choice(list(CURVES))
    encoded = point(random.choice(keys.curves[name]))
    if random.random() < 0.8:
        encoded = point_in_another_form(name, encoded, random)
    public = read_point(name, encoded)
    words = public and public.public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.CompressedPoint).hex()
    return expect("ec-point", (name, encoded), words)


def ec_number(random, keys):
    name = random.choice(list(CURVES))
    order, size = ORDERS[name], CURVES[name].key_size // 8
    number = number_at_limits(name, random, random.randrange(1, order))
    data = number.to_bytes(size, "big")
    if random.random() < 0.1:
        data = random.choice([data + b"\0", data[1:], b"\0" + data, b""])
    is_key = len(data) == size and 0 < int.from_bytes(data, "big") < order
    words = point(ec.derive_private_key(int.from_bytes(data, "big"), CURVES[name])).hex() if is_key else None
    return expect("ec-number", (name, data), words)


def ec_key(random, keys):
    """SubjectPublicKeyInfo. cryptography reads more than one form of a point, so this goes one way but for right ones."""
    name = random.choice(list(CURVES))
    private = random.choice(keys.curves[name])
    right = private.public_key().public_bytes(serialization.Encoding.DER,
        serialization.PublicFormat.SubjectPublicKeyInfo)
    kind, document = random.randrange(4), right
    algorithm, _ = der.children(right)
    if kind == 1:
        document = der.sequence(algorithm, der.bits(point_in_another_form(name, point(private), random)))
    elif kind == 2:
        document = mutated(right, random)
    elif kind == 3:
        bits = der.bits(point(private))
        curve = der.children(algorithm)[1]
        key_type = der.oid("1.2.840.10045.2.1")
        document = random.choice([
            right + b"\0", der.tlv(0x30, algorithm, bits, size=2), der.sequence(algorithm, bits, der.NULL),
            der.sequence(algorithm, der.bits(point(private), 1)),
            der.sequence(der.sequence(key_type), bits), der.sequence(der.sequence(key_type, der.NULL), bits),
            der.sequence(der.sequence(key_type, curve, der.NULL), bits),
            der.sequence(der.sequence(der.oid("1.3.132.1.12"), curve), bits),
            der.sequence(algorithm, der.octets(point(private))), b"\x30\x80" + algorithm + bits + b"\0\0"])
    try:
        public = serialization.load_der_public_key(document)
        is_same = isinstance(public, ec.EllipticCurvePublicKey) and public.curve.name == CURVES[name].name
        words = point_of(public).hex() if is_same else None
    except Exception:  # noqa: BLE001: the bindings throw several kinds
        words = None
    return strict("ec-key", (name, document), words, always=document == right)


def point_of(public):
    return public.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def ecdsa_verify(random, keys):
    name = random.choice(list(CURVES))
    private = random.choice(keys.curves[name])
    hash, message, size = random.choice(["sha256", "sha384", "sha512"]), some(random, 0, 1, 32,
        200), CURVES[name].key_size // 8
    r, s = utils.decode_dss_signature(private.sign(message, ec.ECDSA(HASHES[hash])))
    encoded = point(private)
    what = random.randrange(5)
    if what == 1:
        r = number_at_limits(name, random, r)
    elif what == 2:
        s = number_at_limits(name, random, s)
    elif what == 3:
        r, s = number_at_limits(name, random, r), number_at_limits(name, random, s)
    if random.random() < 0.15:
        encoded = point_in_another_form(name, encoded, random)
    if random.random() < 0.1:
        message = mutated(message, random)
    is_raw = random.random() < 0.5
    if is_raw:
        form, signature = "raw", r.to_bytes(size, "big") + s.to_bytes(size, "big")
        if random.random() < 0.1:
            signature = random.choice([signature + b"\0", signature[:-1], b"", b"\0" + signature,
                der.sequence(der.integer(r), der.integer(s))])
        numbers = signature[:size], signature[size:]
        in_der = der.sequence(*(der.integer(int.from_bytes(number,
            "big")) for number in numbers)) if len(signature) == 2 * size else None
    else:
        form, signature = "der", signature_in_der(r, s, random)
        in_der = signature
    public = read_point(name, encoded)
    words = "" if public and in_der is not None and is_valid(public, in_der, message, ec.ECDSA(HASHES[hash])) else None
    return expect("ecdsa-verify", (name, form, hash, encoded, signature, message), words)


def is_valid(public, signature, message, *how):
    try:
        public.verify(signature, message, *how)
        return True
    except (InvalidSignature, ValueError):
        return False


def ecdsa_sign(random, keys):
    name = random.choice(list(CURVES))
    curve, size, order = CURVES[name], CURVES[name].key_size // 8, ORDERS[name]
    number = random.choice([1, 2, order - 1, order - 2] + [random.randrange(1, order)] * 6)
    message = some(random, 0, 1, 32, 200)
    hash = hashes.SHA256() if name == "P-256" else hashes.SHA384()
    public = ec.derive_private_key(number, curve).public_key()

    def judge(answer):
        if not answer.accepted:
            return f"refused: {answer.words}"
        encoded, raw, in_der = (bytes.fromhex(word) for word in answer.words.split(" "))
        r, s = utils.decode_dss_signature(in_der)
        if encoded != point_of(public):
            return "another point"
        if raw != r.to_bytes(size, "big") + s.to_bytes(size, "big") or in_der != der.sequence(der.integer(r),
            der.integer(s)):
            return "the two forms of a signature differ"
        return None if is_valid(public, in_der, message, ec.ECDSA(hash)) else "a signature that others refuse"

    return Case("ecdsa-sign", (name, number.to_bytes(size, "big"), message), judge)


# MARK: Agreement


# Points of low order and numbers that aren't reduced (RFC 7748, sections 5 and 6.1; https://cr.yp.to/ecdh.html#validate).
LOW = [
    0, 1, 325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823, 2**255 - 20, 2**255 - 19,
    2**255 - 18,
]


def agreed(private, other):
    try:
        return private.exchange(x25519.X25519PublicKey.from_public_bytes(other))
    except ValueError:
        return None


def raw(key):
    return key.private_bytes_raw() if isinstance(key, x25519.X25519PrivateKey) else key.public_bytes_raw()


def x25519_(random, keys):
    number = random.choice([random.randbytes(32)] * 6 + [bytes(32), b"\xff" * 32])
    private = x25519.X25519PrivateKey.from_private_bytes(number)
    other = raw(random.choice(keys.x25519).public_key())
    if random.random() < 0.4:
        other = (random.choice(LOW) | random.getrandbits(1) << 255).to_bytes(32, "little")
    elif random.random() < 0.3:
        other = random.choice([random.randbytes(32), (2**255 - 19 + random.randrange(19)).to_bytes(32, "little"),
            other[:31], other + b"\0", b""])
    secret = agreed(private, other)
    return expect("x25519", (number, other), secret and f"{raw(private.public_key()).hex()} {secret.hex()}")


class HPKE:
    """Base mode of DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and ChaCha20-Poly1305 (RFC 9180), from cryptography's parts."""

    KEM, SUITE = b"KEM\0\x20", b"HPKE\0\x20\0\1\0\3"

    @staticmethod
    def extract(suite, label, secret, salt=b""):
        return python_hmac.new(salt, b"HPKE-v1" + suite + label + secret, "sha256").digest()

    @staticmethod
    def expand(suite, key, label, info, count):
        info, output, block, number = count.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info, b"", b"", 1
        while len(output) < count:
            block = python_hmac.new(key, block + info + bytes([number]), "sha256").digest()
            output, number = output + block, number + 1
        return output[:count]

    def __init__(self, secret, encapsulated, recipient, info):
        shared = self.expand(
            self.KEM, self.extract(self.KEM, b"eae_prk", secret), b"shared_secret", encapsulated + recipient, 32)
        context = b"\0" + self.extract(self.SUITE, b"psk_id_hash", b"") + self.extract(self.SUITE, b"info_hash", info)
        root = self.extract(self.SUITE, b"secret", b"", shared)
        self.cipher = aead.ChaCha20Poly1305(self.expand(self.SUITE, root, b"key", context, 32))
        self.nonce = self.expand(self.SUITE, root, b"base_nonce", context, 12)


def hpke(random, keys):
    recipient = random.choice(keys.x25519)
    public, info, message, data = raw(recipient.public_key()), some(random), some(random), some(random)
    if random.random() < 0.5:
        def judge(answer):
            if not answer.accepted:
                return f"refused: {answer.words}"
            encapsulated, sealed = (bytes.fromhex(word) for word in answer.words.split(" "))
            other = HPKE(agreed(recipient, encapsulated), encapsulated, public, info)
            try:
                return None if other.cipher.decrypt(other.nonce, sealed, data) == message else "another message"
            except InvalidTag:
                return "a message that others can't open"

        return Case("hpke-seal", (public, info, message, data), judge)
    sender = x25519.X25519PrivateKey.from_private_bytes(random.randbytes(32))
    encapsulated = raw(sender.public_key())
    other = HPKE(agreed(sender, public), encapsulated, public, info)
    sealed, words = other.cipher.encrypt(other.nonce, message, data), message.hex()
    what = random.randrange(7)
    if what == 1:
        sealed, words = random.choice([sealed[:-1], sealed + b"\0", bytes([sealed[0] ^ 1]) + sealed[1:], sealed[:15],
            b""]), None
    elif what == 2:
        info, words = info + b"\0", None
    elif what == 3:
        data, words = data + b"\0", None
    elif what == 4:
        encapsulated, words = (random.choice(LOW) | random.getrandbits(1) << 255).to_bytes(32, "little"), None
    elif what == 5:
        # The highest bit doesn't count in X25519 (RFC 7748, section 5), and yet in the secret.
        encapsulated, words = encapsulated[:31] + bytes([encapsulated[31] ^ 0x80]), None
    return expect("hpke-open", (raw(recipient), info, encapsulated, sealed, data), words)


# MARK: RSA


def wrongly_padded(name, message, count, random):
    """Messages that careless verifiers take: garbage, other parameters, BER, other blocks (RFC 8017, section 9.2)."""
    right = padded(name, message, count)
    start = right.index(b"\0", 2)
    info = right[start + 1 :]
    algorithm, digest = der.children(info)
    kind = der.children(algorithm)[0]

    def whole(info, filling=b"\xff", head=b"\0\1"):
        return head + filling * (count - len(info) - 3) + b"\0" + info

    bare = der.sequence(der.sequence(kind), digest)
    short = b"\0\1" + b"\xff" * 8 + b"\0" + info
    return random.choice([
        whole(bare), short + random.randbytes(count - len(short)), whole(info, head=b"\0\2"), whole(info, head=b"\0\0"),
        whole(info, head=b"\1\1"),
        whole(info, filling=b"\0"), whole(info, filling=b"\xfe"), whole(der.tlv(0x30, algorithm, digest, size=2)),
        whole(digest), whole(digest[2:]),
        whole(der.sequence(algorithm, digest, der.NULL)), whole(info + b"\0"),
        whole(der.sequence(der.sequence(kind, der.octets(b"")), digest)),
        whole(der.sequence(der.sequence(kind, der.NULL, der.NULL), digest)),
        whole(der.sequence(algorithm, der.octets(digest[2:] + b"\0"))),
        padded(random.choice(["sha256", "sha384", "sha512", "sha1"]), message, count)])


def rsa_verify(random, keys):
    private = random.choice(keys.rsa[:2] * 4 + keys.rsa[2:])
    public, numbers = private.public_key(), private.private_numbers()
    n, e, count = numbers.public_numbers.n, numbers.public_numbers.e, private.key_size // 8
    hash, message, scheme = random.choice(["sha256", "sha384", "sha512"]), some(random, 0, 1, 32,
        200), random.choice(["pkcs1", "pss"])
    size = HASHES[hash].digest_size
    what = random.randrange(6)
    if what == 1 and scheme == "pkcs1":
        signature = pow(int.from_bytes(wrongly_padded(hash, message, count, random), "big"), numbers.d,
            n).to_bytes(count, "big")
    elif scheme == "pss":
        salt = random.choice([size] * 5 + [0, 1, size - 1, size + 1, 20, 32, count - size - 2])
        other = random.choice([hash] * 8 + ["sha1", "sha256"])
        signature = private.sign(message, padding.PSS(padding.MGF1(HASHES[other]), salt), HASHES[hash])
    else:
        signature = private.sign(message, padding.PKCS1v15(), HASHES[hash])
    if what == 2:
        number = int.from_bytes(signature, "big")
        number = random.choice([0, 1, n - 1, n, n - number, number + n, n + 1])
        size_of_it = max(count, (number.bit_length() + 7) // 8)
        signature = number.to_bytes(size_of_it, "big")
    elif what == 3:
        signature = random.choice([b"\0" + signature, signature + b"\0", signature[:-1], signature[1:], b"",
            mutated(signature, random)])
    elif what == 4:
        message = mutated(message, random)
    how = padding.PKCS1v15() if scheme == "pkcs1" else padding.PSS(padding.MGF1(HASHES[hash]), size)
    words = "" if is_valid(public, signature, message, how, HASHES[hash]) else None
    return expect("rsa-verify", (scheme, hash, n.to_bytes(count, "big"), e.to_bytes(3, "big"), signature, message),
        words)


def rsa_sign(random, keys):
    private, scheme, message = random.choice(keys.rsa[:2] * 4 + keys.rsa[2:]), random.choice(["pkcs1",
        "pss"]), some(random, 0, 1, 32, 200)
    document = private.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption())
    if scheme == "pkcs1":
        return expect("rsa-sign", (scheme, document, message),
            private.sign(message, padding.PKCS1v15(), HASHES["sha256"]).hex())
    how = padding.PSS(padding.MGF1(HASHES["sha256"]), 32)

    def judge(answer):
        is_right = answer.accepted and is_valid(private.public_key(), bytes.fromhex(answer.words), message, how,
            HASHES["sha256"])
        return None if is_right else f"a signature that others refuse: {answer.words}"

    return Case("rsa-sign", (scheme, document, message), judge)


def rsa_key(random, keys):
    public = random.choice(keys.rsa).public_key()
    right = public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    algorithm, _ = der.children(right)
    n, e = public.public_numbers().n, public.public_numbers().e

    def info(*numbers, algorithm=algorithm):
        return der.sequence(algorithm, der.bits(der.sequence(*numbers)))

    document = right
    what = random.randrange(3)
    if what == 1:
        document = mutated(right, random)
    elif what == 2:
        document = random.choice([
            info(der.integer(n), der.integer(1)), info(der.integer(n), der.integer(0)),
            info(der.integer(n), der.integer(2)), info(der.integer(n), der.integer(e + 1)),
            info(der.integer(n + 1), der.integer(e)), info(der.integer(-n), der.integer(e)),
            info(der.integer(n), der.integer(-e)), info(der.integer(n >> 1024 | 1), der.integer(e)),
            info(der.integer(n), der.tlv(2, b"\0\1\0\1")), info(der.tlv(2, b"\0", der.integer(n)[4:]), der.integer(e)),
            info(der.integer(n), der.integer(n)),
            info(der.integer(n), der.integer(e), der.integer(e)), info(der.integer(e)), right + b"\0",
            info(der.integer(n), der.integer(1 << 64 | 1)),
            info(der.integer(n), der.integer(e), algorithm=der.sequence(der.oid("1.2.840.113549.1.1.1"))),
            info(der.integer(n), der.integer(e), algorithm=der.sequence(der.oid("1.2.840.113549.1.1.10"))),
            info(der.integer(0), der.integer(e))])
    try:
        numbers = serialization.load_der_public_key(document).public_numbers()
        words = f"{bytes_of(numbers.n).hex()} {bytes_of(numbers.e).hex()}"
    except Exception:  # noqa: BLE001: the bindings throw several kinds
        words = None
    return strict("rsa-key", (document,), words, always=document == right)


def bytes_of(number):
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


ALL = {
    "hash": hash, "hmac": hmac, "hkdf": hkdf, "aead-seal": seal, "aead-open": open_, "cbc": cbc, "ctr": ctr,
    "block": block, "key-wrap": wrap,
    "ec-point": ec_point, "ec-number": ec_number, "ec-key": ec_key, "ecdsa-verify": ecdsa_verify,
    "ecdsa-sign": ecdsa_sign,
    "x25519": x25519_, "hpke": hpke, "rsa-verify": rsa_verify, "rsa-sign": rsa_sign, "rsa-key": rsa_key,
}
