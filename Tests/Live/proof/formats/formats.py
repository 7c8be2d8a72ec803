"""Formats beside other readers: what the suite accepts, they accept and read as the same. Each function makes one case."""

import base64
import ctypes
import datetime
import io
import json
import pathlib
import subprocess
import tempfile

import asn1crypto.parser
import cbor2
import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs7
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf import message as message_module
from jwcrypto import jwk, jws

import der
from algorithms import some
from cases import mutated, strict
from keys import rsa_private

CHECKOUT = pathlib.Path(__file__).resolve().parents[4]


# MARK: DER


def random_element(random, depth=0):
    """An element with a tag and a length of any size."""
    tag = random.choice([1, 2, 3, 4, 5, 6, 12, 19, 22, 23, 24, 30, 0x80, 0x81, 0x42, 0xC3])
    content = b""
    if depth < 6 and random.random() < 0.5:
        tag = random.choice([0x30, 0x31, 0xA0, 0xA3, 0x61, 0xE1])
        content = b"".join(random_element(random, depth + 1) for _ in range(random.randrange(4)))
    else:
        content = {1: b"\xff", 2: b"\x01", 3: b"\0\x80", 5: b"", 6: b"\x2a\x03"}.get(tag)
        content = some(random, 0, 1, 2, 5, 127, 128, 255, 256) if content is None else content
        if depth == 0 and random.random() < 0.02:
            content = bytes(random.choice([65535, 65536, 100_000]))
    first = bytes([tag])
    if random.random() < 0.1:
        number = random.choice([0, 30, 31, 127, 128, 16383, 16384, (1 << 28) - 1, 1 << 28, 1 << 40])
        groups = [number & 0x7F]
        while number := number >> 7:
            groups.append(number & 0x7F | 0x80)
        # Of the class and the form that the short tag had, but for universal ones.
        first = bytes([(tag | (0x80 if tag < 0x40 else 0)) & 0xE0 | 0x1F]) + bytes(reversed(groups))
    size = random.choice([0] * 30 + [1, 2, 3, 4, 8, 9, 126])
    if size and len(content) >> (8 * size):
        size = 0
    if random.random() < 0.02 and first[0] & 0x20:
        return first + b"\x80" + content + b"\0\0"
    return first + der.length(len(content), size) + content


def elements(encoded):
    """How many elements there are, if writing them again by the rules gives the same bytes; None otherwise."""
    def read(data):
        kind, method, tag, header, content, trailer = asn1crypto.parser.parse(data, strict=True)
        count = 1
        if method:
            rest, written = content, b""
            while rest:
                length = asn1crypto.parser.peek(rest)
                more, again = read(rest[:length])
                count, written, rest = count + more, written + again, rest[length:]
            content = written
        return count, asn1crypto.parser.emit(kind, method, tag, content)

    try:
        count, written = read(encoded)
    except (ValueError, RecursionError, TypeError):
        return None
    return str(count) if written == encoded else None


def der_(random, keys):
    encoded = random_element(random)
    if random.random() < 0.5:
        encoded = mutated(encoded, random)
    return strict("der", (encoded,), elements(encoded))


# MARK: PEM


class PEM:
    """OpenSSL's PEM_read_bio(3), which skips what isn't a document."""

    def __init__(self):
        self.crypto = crypto = ctypes.CDLL("libcrypto.so.3")
        pointer = ctypes.c_void_p
        crypto.BIO_new_mem_buf.restype, crypto.BIO_new_mem_buf.argtypes = pointer, [ctypes.c_char_p, ctypes.c_int]
        crypto.BIO_free.argtypes = [pointer]
        crypto.PEM_read_bio.argtypes = [pointer] + [ctypes.POINTER(pointer)] * 3 + [ctypes.POINTER(ctypes.c_long)]
        crypto.CRYPTO_free.argtypes = [pointer, ctypes.c_char_p, ctypes.c_int]

    def read(self, text):
        bio = self.crypto.BIO_new_mem_buf(text, len(text))
        found = []
        try:
            while True:
                name, header, data, count = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_long()
                if not self.crypto.PEM_read_bio(bio, ctypes.byref(name), ctypes.byref(header), ctypes.byref(data),
                    ctypes.byref(count)):
                    return found
                found.append((ctypes.string_at(name), ctypes.string_at(data, count.value)))
                for memory in (name, header, data):
                    self.crypto.CRYPTO_free(memory, None, 0)
        finally:
            self.crypto.BIO_free(bio)
            self.crypto.ERR_clear_error()


def pem(random, keys):
    end = random.choice(["\n", "\n", "\r\n"])
    text, is_right = "", True
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        name = random.choice(["CERTIFICATE", "PRIVATE KEY", "EC PRIVATE KEY", "CERTIFICATE REQUEST", "X", "A B C"])
        letters = base64.b64encode(some(random, 1, 2, 3, 46, 47, 48, 49, 96, 500)).decode()
        lines = [letters[place : place + 64] for place in range(0, len(letters), 64)]
        last = name if random.random() < 0.97 else "OTHER"
        is_right = is_right and last == name
        text += random.choice(["", "", "words before" + end]) + end.join([f"-----BEGIN {name}-----", *lines,
            f"-----END {last}-----", ""])
    data = text.encode()
    if random.random() < 0.6:
        data, is_right = mutated(data, random), False
    elif random.random() < 0.2:
        is_right = False
        data = random.choice([
            data.replace(b"=", b""), data.replace(b"\n", b"\r"), data.replace(b"\n", b" \n"),
            data.replace(b"\n", b"\n\n"), data.replace(b"-----", b"----", 1),
            data.rstrip(b"\n"), data.replace(b"\n", b"\nProc-Type: 4,ENCRYPTED\n\n", 1), data.replace(b"\n", b"", 1),
            b"\xef\xbb\xbf" + data, data + b"\0"])
    # RFC 7468, section 3, knows lines that end with CR alone, and OpenSSL doesn't.
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    words = " ".join(f"{name.hex()}:{content.hex()}" for name, content in keys.pem.read(lines))
    return strict("pem", (data,), words, always=is_right)


# MARK: CMS


class CMS:
    """OpenSSL's CMS_verify(3), which takes the signer's certificate from us and verifies no chain."""

    # CMS_BINARY, CMS_NO_SIGNER_CERT_VERIFY, CMS_NOINTERN, CMS_NOVERIFY
    FLAGS = 0x80 | 0x20 | 0x10

    def __init__(self):
        self.crypto = crypto = ctypes.CDLL("libcrypto.so.3")
        pointer = ctypes.c_void_p
        for name, result, *arguments in [
            ("d2i_CMS_ContentInfo", pointer, pointer, pointer, ctypes.c_long), ("CMS_ContentInfo_free", None, pointer),
            ("d2i_X509", pointer, pointer, pointer, ctypes.c_long), ("X509_free", None, pointer),
            ("CMS_verify", ctypes.c_int, pointer, pointer, pointer, pointer, pointer, ctypes.c_uint),
            ("OPENSSL_sk_new_null", pointer), ("OPENSSL_sk_push", ctypes.c_int, pointer, pointer),
            ("OPENSSL_sk_free", None, pointer),
            ("BIO_new_mem_buf", pointer, ctypes.c_char_p, ctypes.c_int), ("BIO_free", ctypes.c_int, pointer),
        ]:
            function = getattr(crypto, name)
            function.restype, function.argtypes = result, arguments

    def read(self, kind, encoded):
        buffer = ctypes.create_string_buffer(encoded, len(encoded))
        place = ctypes.c_void_p(ctypes.addressof(buffer))
        return getattr(self.crypto, f"d2i_{kind}")(None, ctypes.byref(place), len(encoded))

    def verifies(self, signature, certificate, content):
        crypto = self.crypto
        message, signer, stack = self.read("CMS_ContentInfo", signature), self.read("X509",
            certificate), crypto.OPENSSL_sk_new_null()
        bio = crypto.BIO_new_mem_buf(content, len(content))
        try:
            if not message or not signer:
                return False
            crypto.OPENSSL_sk_push(stack, signer)
            return crypto.CMS_verify(message, stack, None, bio, None, self.FLAGS) == 1
        finally:
            crypto.BIO_free(bio)
            crypto.OPENSSL_sk_free(stack)
            if message:
                crypto.CMS_ContentInfo_free(message)
            if signer:
                crypto.X509_free(signer)
            crypto.ERR_clear_error()


def signer_certificate(key, number):
    name = x509.Name([x509.NameAttribute(x509.NameOID.COUNTRY_NAME, "DE"),
        x509.NameAttribute(x509.NameOID.COMMON_NAME, f"Signer {number}")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1000 + number, datetime.datetime(2020, 1, 1),
        datetime.datetime(2049, 1, 1))
    return builder.sign(key, hashes.SHA256())


def in_ber(encoded, random):
    """The same message with indefinite lengths where elements are constructed."""
    tag, content = encoded[0], encoded
    header = 2 if encoded[1] < 0x80 else 2 + (encoded[1] & 0x7F)
    if not tag & 0x20:
        return encoded
    content = b"".join(in_ber(part,
        random) for part in der.children(encoded)) if random.random() < 0.9 else encoded[header:]
    return bytes([tag, 0x80]) + content + b"\0\0" if random.random() < 0.3 else der.tlv(tag, content,
        size=random.choice([0, 0, 0, 4]))


def cms(random, keys):
    key, certificate = random.choice(keys.signers)
    content = some(random, 1, 32, 200)
    attributes = random.choice([pkcs7.PKCS7Options.NoCapabilities, pkcs7.PKCS7Options.NoAttributes])
    options = [pkcs7.PKCS7Options.DetachedSignature, pkcs7.PKCS7Options.Binary, attributes]
    hash = random.choice([hashes.SHA256(), hashes.SHA384(), hashes.SHA512()])
    builder = pkcs7.PKCS7SignatureBuilder().set_data(content).add_signer(certificate, key, hash)
    signature = builder.sign(serialization.Encoding.DER, options)
    encoded = certificate.public_bytes(serialization.Encoding.DER)
    what = random.randrange(6)
    if what == 1:
        signature = mutated(signature, random)
    elif what == 2:
        signature = in_ber(signature, random)
    elif what == 3:
        content = mutated(content, random)
    elif what == 4:
        encoded = random.choice(keys.signers)[1].public_bytes(serialization.Encoding.DER)
    elif what == 5:
        signature = random.choice([signature + b"\0", mutated(in_ber(signature, random), random), signature[:-1], b""])
    words = "" if keys.cms.verifies(signature, encoded, content) else None
    return strict("cms", (signature, encoded, content), words, always=what == 0)


# MARK: JWS


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token_variants(head, body, signature, random):
    """The same token in forms that readers differ over."""
    whole = f"{head}.{body}.{signature}"
    place = random.randrange(len(whole))
    last = signature[-1]
    return random.choice([
        whole + ".", "." + whole, whole + "=", f"{head}=.{body}.{signature}", f"{head}.{body}=.{signature}",
        whole[:place] + "\n" + whole[place:], whole + "\n",
        whole.replace("-", "+").replace("_", "/"), f"{head}.{body}", f"{head}..{signature}", f"{head}.{body}.",
        f"{head}.{body}.{signature}.{signature}",
        f"{head}.{body}.{signature[:-1]}{chr(ord(last) + 1)}", f"{head}.{body}.{signature[:-1]}", " " + whole,
        whole[:place] + "\u00e4" + whole[place:],
        f"{head}.{body}.{b64(bytes(64))}", f"{head}.{body}.{b64(bytes(256))}",
        mutated(whole.encode(), random).decode(errors="replace")])


def jws_(random, keys):
    name = random.choice(["RS256", "PS256", "ES256"])
    private = random.choice([key for key, _ in keys.signers if (name == "ES256") == isinstance(key,
        ec.EllipticCurvePrivateKey)])
    entry = json.loads(jwk.JWK.from_pyca(private.public_key()).export_public())
    entry |= {"kid": "1", "alg": name}
    payload = random.choice([b"{}", b'{"a":1}', some(random, 0, 1, 32, 200), "ä".encode()])
    header = {"alg": name, "kid": "1"}
    what = random.randrange(8)
    if what == 1:
        header |= random.choice([
            {"alg": "none"}, {"alg": "HS256"}, {"alg": name.lower()}, {"alg": "RS512"}, {"alg": None},
            {"crit": ["exp"], "exp": 1}, {"b64": False, "crit": ["b64"]},
            {"crit": []}, {"zip": "DEF"}, {"typ": "JWT"}, {"x5c": ["AA=="]}, {"jwk": {}}, {"kid": 1}, {"a": "\u2028"},
            {"alg": [name]}])
    text = json.dumps(header)
    if what == 2:
        text = random.choice([
            text + " ", "\ufeff" + text, text[:-1] + ',"alg":"none"}', text[:-1] + f',"alg":"{name}"}}', "[]", '"a"',
            "", text + text, text.replace('"', "'"),
            text[:-1] + ',"a":NaN}', text[:-1] + ",}", text.replace("alg", "\\u0061lg"), "{" + " " * 1000 + text[1:],
            text[:-1] + ',"a":1e400}'])
    head, body = b64(text.encode()), b64(payload)
    signed = f"{head}.{body}".encode()
    algorithm = jwt.get_algorithm_by_name(name)
    signature = algorithm.sign(signed, private)
    if what == 3 and name == "ES256":
        signature = private.sign(signed, ec.ECDSA(hashes.SHA256()))
    elif what == 4:
        signature = mutated(signature, random)
    elif what == 5:
        signature = jwt.get_algorithm_by_name("HS256").sign(signed, json.dumps(entry).encode())
    token = f"{head}.{body}.{b64(signature)}"
    if what == 6:
        token = token_variants(head, body, b64(signature), random)
    return strict("jws", (json.dumps(entry), token.encode()), read_token(entry, name, token), always=what in (0, 7))


def read_token(entry, name, token):
    """What PyJWT and jwcrypto read; None if both refuse."""
    try:
        return jwt.PyJWS().decode_complete(token, jwt.PyJWK(entry), algorithms=[name])["payload"].hex()
    except Exception:  # noqa: BLE001: it lets errors of its JSON and its keys through
        pass
    try:
        reader = jws.JWS()
        reader.allowed_algs = [name]
        reader.deserialize(token, jwk.JWK(**entry))
        return reader.payload.hex()
    except Exception:  # noqa: BLE001
        return None


# MARK: CBOR


def random_item(random, depth=0):
    numbers = [0, 1, 23, 24, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**63, 2**64 - 1]
    kind = random.randrange(6 if depth < 4 else 4)
    if kind == 0:
        return random.choice(numbers)
    if kind == 1:
        return -1 - random.choice(numbers)
    if kind == 2:
        return some(random, 0, 1, 23, 24, 32, 255, 256, 1000)
    if kind == 3:
        return random.choice(["", "a", "fmt", "ä漢", "x" * 24, "y" * 256])
    if kind == 4:
        return [random_item(random, depth + 1) for _ in range(random.choice([0, 1, 2, 3, 24 if depth == 0 else 1]))]
    return {random.choice([random_item(random, 9), f"k{number}"]): random_item(random,
        depth + 1) for number in range(random.randrange(4))}


def head(major, number, size):
    return bytes([major << 5 | {1: 24, 2: 25, 4: 26, 8: 27}[size]]) + number.to_bytes(size, "big")


def cbor(random, keys):
    item = random_item(random)
    encoded = cbor2.dumps(item)
    what = random.randrange(3)
    if what == 1:
        encoded = mutated(encoded, random)
    elif what == 2:
        encoded = random.choice([
            encoded + b"\0", head(0, 5, random.choice([1, 2, 4, 8])), head(2, 1, 8) + b"a", head(4, 2**63, 8),
            head(5, 2**62, 8), head(2, 2**64 - 1, 8), head(3, 2**32, 8),
            b"\xa2\x01\x02\x01\x03", b"\xa2\x61a\x01\x61a\x02", b"\x9f\x01\xff", b"\xbf\xff", b"\x5f\x41a\xff",
            b"\x63\xff\xfe\xfd", b"\xf6", b"\xf5", b"\xfb" + bytes(8),
            b"\xc0\x61a", b"\x81" * random.randrange(10_000) + b"\0", b"\xd8\x1d\0", b"\x1c", b"\xff", b"", b"\x62\xc3",
            b"\x63\xed\xa0\x80"])
    return strict("cbor", (encoded,), read_item(encoded), always=False)


def read_item(encoded):
    """Nothing, if cbor2 writes what it has read as the same bytes; None otherwise."""
    try:
        stream = io.BytesIO(encoded)
        item = cbor2.load(stream)
        if stream.read() or cbor2.dumps(item) != encoded:
            return None
    except Exception:  # noqa: BLE001: some errors aren't cbor2's own
        return None
    return ""


# MARK: protobuf


# What others send: the messages that the program of Tests/Verdicts knows.
MESSAGES = [
    "vigil.donation.DonationRequest", "vigil.exposure.SubmissionPayload", "vigil.exposure.TemporaryExposureKeyExport",
    "vigil.exposure.TEKSignatureList", "vigil.exposure.VenueReportUpload", "vigil.exposure.SignedVenueReports",
    "vigil.exposure.TraceWarningPackage", "eu.interop.DiagnosisKeyBatch", "vigil.push.PushRegistration",
    "vigil.tracekey.ProblematicEventWrapper",
]


def messages():
    """Python's classes of the messages."""
    folders = sorted(CHECKOUT.glob("Shared/Formats/*/Protobuf/protos"))
    files = [file.name for folder in folders for file in sorted(folder.iterdir())]
    with tempfile.NamedTemporaryFile() as descriptors:
        subprocess.run(
            ["protoc", *(f"-I{folder}" for folder in folders), "--include_imports",
            f"--descriptor_set_out={descriptors.name}", *files],
            check=True)
        found = descriptor_pb2.FileDescriptorSet.FromString(descriptors.read())
    pool = descriptor_pool.DescriptorPool()
    for file in found.file:
        pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in MESSAGES}


def varint(number, size=1):
    groups = bytearray()
    while number >= 0x80 or len(groups) + 1 < size:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(groups) + bytes([number])


def random_fields(descriptor, random, depth=0):
    """Fields of a message, some in another form than the schema's, some unknown, some unfinished."""
    data = b""
    for field in random.choices(list(descriptor.fields), k=random.randrange(6)):
        number, kind = field.number, {1: 1, 6: 1, 16: 1, 2: 5, 7: 5, 15: 5}.get(field.type, 0)
        if field.type in (9, 11, 12) or field.is_repeated and random.random() < 0.3:
            kind = 2
        if random.random() < 0.03:
            number, kind = random.choice([0, 1, 99, 19_000, (1 << 29) - 1, 1 << 29]), random.randrange(8)
        data += varint(number << 3 | kind, random.choice([1] * 20 + [2, 5, 6]))
        if kind == 0:
            value = random.choice([0, 1, 2, 3, 127, 128, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 63), (1 << 64) - 1])
            data += varint(value, random.choice([1] * 20 + [10, 11]))
        elif kind in (1, 5):
            data += random.randbytes(8 if kind == 1 else 4)
        elif kind == 2:
            content = some(random, 0, 1, 16, 20) if random.random() < 0.6 else random.choice([b"a", "ä".encode(),
                b"\xff", b"\xed\xa0\x80", b"\xc0\x80"])
            if field.message_type is not None and depth < 4 and random.random() < 0.9:
                content = random_fields(field.message_type, random, depth + 1)
            count = len(content) if random.random() < 0.98 else random.choice([len(content) + 1, (1 << 31) - 1,
                (1 << 64) - 1])
            data += varint(count, random.choice([1] * 20 + [5])) + content
        elif kind == 3 and random.random() < 0.5:
            data += varint(number << 3 | 4)
    return data


def is_text(message):
    """Whether all strings are UTF-8, which Python doesn't ask in proto2."""
    for field, value in message.ListFields():
        values = value if field.is_repeated else [value]
        if field.type == field.TYPE_STRING and any(isinstance(text, bytes) for text in values):
            return False
        if field.message_type is not None and not all(is_text(part) for part in values):
            return False
    return True


def protobuf(random, keys):
    name = random.choice(MESSAGES)
    data = random_fields(keys.messages[name].DESCRIPTOR, random)
    if random.random() < 0.4:
        data = mutated(data, random)
    try:
        message = keys.messages[name].FromString(data)
        message.DiscardUnknownFields()
        words = message.SerializeToString(deterministic=True).hex() if is_text(message) else None
    except message_module.DecodeError:
        words = None
    is_right = words is not None and random.random() < 0.3
    if is_right:
        data = bytes.fromhex(words)
    return strict("protobuf", (name, data), words, always=is_right)


ALL = {"der": der_, "pem": pem, "cms": cms, "jws": jws_, "cbor": cbor, "protobuf": protobuf}


class Keys:
    """What is expensive to make, once for a run."""

    def __init__(self, random):
        private = [rsa_private(3072, random), ec.derive_private_key(random.getrandbits(255) | 1, ec.SECP256R1())]
        self.signers = [(key, signer_certificate(key, number)) for number, key in enumerate(private)]
        self.pem, self.cms, self.messages = PEM(), CMS(), messages()
