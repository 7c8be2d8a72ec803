"""The verdicts of others on a chain: OpenSSL's library with all its strictness, and PyPI's cryptography."""

import ctypes
import ctypes.util
import datetime
import ipaddress

import asn1crypto.x509
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, rsa

import chains

PURPOSES = {"client": 1, "server": 2}
X509_STRICT = 0x20
# The whole of a label is an asterisk, and a subject's common name is no host (X509_check_host(3)).
HOST_FLAGS = 0x4 | 0x20


def library():
    crypto = ctypes.CDLL(ctypes.util.find_library("crypto"))
    pointer, number = ctypes.c_void_p, ctypes.c_int
    for name, result, *arguments in [
        ("d2i_X509", pointer, pointer, pointer, ctypes.c_long), ("X509_free", None, pointer),
        ("i2d_X509", number, pointer, pointer),
        ("d2i_X509_REQ", pointer, pointer, pointer, ctypes.c_long), ("X509_REQ_free", None, pointer),
        ("X509_REQ_get0_pubkey", pointer, pointer), ("X509_REQ_verify", number, pointer, pointer),
        ("EVP_PKEY_get_security_bits", number, pointer),
        ("X509_STORE_new", pointer), ("X509_STORE_free", None, pointer),
        ("X509_STORE_add_cert", number, pointer, pointer),
        ("X509_STORE_CTX_new", pointer), ("X509_STORE_CTX_free", None, pointer),
        ("X509_STORE_CTX_init", number, pointer, pointer, pointer, pointer),
        ("X509_STORE_CTX_get0_param", pointer, pointer), ("X509_STORE_CTX_get_error", number, pointer),
        ("X509_STORE_CTX_set_verify_cb", None, pointer, pointer), ("X509_verify_cert", number, pointer),
        ("X509_verify_cert_error_string", ctypes.c_char_p, ctypes.c_long),
        ("X509_VERIFY_PARAM_set_flags", number, pointer, ctypes.c_ulong),
        ("X509_VERIFY_PARAM_set_purpose", number, pointer, number),
        ("X509_VERIFY_PARAM_set_auth_level", None, pointer, number),
        ("X509_VERIFY_PARAM_set_time", None, pointer, ctypes.c_int64),
        ("X509_VERIFY_PARAM_set_depth", None, pointer, number),
        ("X509_VERIFY_PARAM_set_hostflags", None, pointer, ctypes.c_uint),
        ("X509_VERIFY_PARAM_set1_host", number, pointer, ctypes.c_char_p, ctypes.c_size_t),
        ("X509_VERIFY_PARAM_set1_ip_asc", number, pointer, ctypes.c_char_p),
        ("OPENSSL_sk_new_null", pointer), ("OPENSSL_sk_push", number, pointer, pointer),
        ("OPENSSL_sk_free", None, pointer),
        ("ERR_clear_error", None),
    ]:
        function = getattr(crypto, name)
        function.restype, function.argtypes = result, arguments
    return crypto


def uris(encoded):
    """The URIs among the names of a certificate, by a third reader; none if it can't read them."""
    try:
        names = asn1crypto.x509.Certificate.load(encoded, strict=True).subject_alt_name_value
        # `native` would change what it shows for people.
        return [name.chosen.contents.decode("ascii") for name in names or [] if name.name == "uniform_resource_identifier"]
    except (ValueError, TypeError, UnicodeDecodeError):
        return []


class Refused(Exception):
    """Why a peer refuses: all reasons that it has."""


class OpenSSL:
    """Verifies as `openssl verify -x509_strict -auth_level 2` does, and goes on after each error, to know all of them."""

    def __init__(self):
        self.crypto = library()
        self.errors = []
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p)

        def note(is_right, context):
            if not is_right:
                self.errors.append(self.crypto.X509_STORE_CTX_get_error(context))
            return 1

        self.callback = kind(note)

    def read(self, encoded, kind="X509"):
        """The object of a document without bytes after it. OpenSSL takes other encodings than DER, too."""
        buffer = ctypes.create_string_buffer(encoded, len(encoded))
        place = ctypes.c_void_p(ctypes.addressof(buffer))
        found = getattr(self.crypto, f"d2i_{kind}")(None, ctypes.byref(place), len(encoded))
        self.crypto.ERR_clear_error()
        if found and place.value != ctypes.addressof(buffer) + len(encoded):
            getattr(self.crypto, f"{kind}_free")(found)
            found = None
        if not found:
            raise Refused("unreadable")
        return found

    def accepts(self, encoded):
        """Throws unless it is one certificate."""
        self.crypto.X509_free(self.read(encoded))

    def verify(self, chain, now):
        crypto, read = self.crypto, []
        store, context, stack = crypto.X509_STORE_new(), crypto.X509_STORE_CTX_new(), crypto.OPENSSL_sk_new_null()
        try:
            for one in [chain.root, chain.leaf, *chain.sent]:
                read.append(self.read(one.encoded))
            for one in read[2:]:
                crypto.OPENSSL_sk_push(stack, one)
            if not crypto.X509_STORE_add_cert(store, read[0]) or not crypto.X509_STORE_CTX_init(context, store, read[1],
                stack):
                raise Refused("unreadable")
            parameters = crypto.X509_STORE_CTX_get0_param(context)
            crypto.X509_VERIFY_PARAM_set_flags(parameters, X509_STRICT)
            crypto.X509_VERIFY_PARAM_set_auth_level(parameters, 2)
            crypto.X509_VERIFY_PARAM_set_time(parameters, now)
            if chain.lane in PURPOSES:
                crypto.X509_VERIFY_PARAM_set_purpose(parameters, PURPOSES[chain.lane])
            if chain.lane == "server":
                crypto.X509_VERIFY_PARAM_set_hostflags(parameters, HOST_FLAGS)
                if chain.host == chains.ADDRESS:
                    crypto.X509_VERIFY_PARAM_set1_ip_asc(parameters, chain.host.encode())
                else:
                    crypto.X509_VERIFY_PARAM_set1_host(parameters, chain.host.encode(), 0)
            self.errors = []
            crypto.X509_STORE_CTX_set_verify_cb(context, self.callback)
            status = crypto.X509_verify_cert(context)
            if status != 1 and not self.errors:
                self.errors = [crypto.X509_STORE_CTX_get_error(context)]
            if self.errors:
                words = {crypto.X509_verify_cert_error_string(error).decode() for error in self.errors}
                raise Refused("; ".join(sorted(words)))
        finally:
            crypto.OPENSSL_sk_free(stack)
            crypto.X509_STORE_CTX_free(context)
            crypto.X509_STORE_free(store)
            for one in read:
                crypto.X509_free(one)
            crypto.ERR_clear_error()

    def request(self, encoded):
        """Throws unless it is one request, signed by its own key of 112 bits of strength."""
        request = self.read(encoded, "X509_REQ")
        try:
            key = self.crypto.X509_REQ_get0_pubkey(request)
            if not key or self.crypto.EVP_PKEY_get_security_bits(key) < 112:
                raise Refused("weak key")
            if self.crypto.X509_REQ_verify(request, key) != 1:
                raise Refused("signature")
        finally:
            self.crypto.X509_REQ_free(request)
            self.crypto.ERR_clear_error()


class PyCA:
    """PyPI's cryptography, whose verifier follows the rules for the public web."""

    # All that its reader and its verifier throw. Some are errors of the bindings, which have no class of their own.
    ERRORS = (Exception,)

    def accepts(self, encoded):
        """A certificate with everything in it that can be read."""
        try:
            certificate = x509.load_der_x509_certificate(encoded)
            certificate.extensions, certificate.subject, certificate.issuer, certificate.version
            certificate.not_valid_before_utc, certificate.not_valid_after_utc, certificate.signature_hash_algorithm
            return certificate
        except self.ERRORS as error:
            raise Refused(str(error)) from None

    def verify(self, chain, now):
        try:
            root, leaf, *sent = (
                x509.load_der_x509_certificate(one.encoded) for one in [chain.root, chain.leaf, *chain.sent])
            time = datetime.datetime.fromtimestamp(now, datetime.timezone.utc).replace(tzinfo=None)
            builder = x509.verification.PolicyBuilder().store(x509.verification.Store([root])).time(time)
            if chain.lane == "server":
                subject = (
                    x509.IPAddress(ipaddress.ip_address(chain.host)) if chain.host == chains.ADDRESS
                    else x509.DNSName(chain.host))
                builder.build_server_verifier(subject).verify(leaf, sent)
            else:
                builder.build_client_verifier().verify(leaf, sent)
        except self.ERRORS as error:
            raise Refused(str(error)) from None

    def request(self, encoded):
        try:
            request = x509.load_der_x509_csr(encoded)
            key = request.public_key()
            if not request.is_signature_valid:
                raise Refused("signature")
        except Refused:
            raise
        except (InvalidSignature, *self.ERRORS) as error:
            raise Refused(str(error)) from None
        if isinstance(key, rsa.RSAPublicKey) and key.key_size < 2048 or isinstance(key,
            ec.EllipticCurvePublicKey) and key.curve.key_size < 224:
            raise Refused("weak key")
