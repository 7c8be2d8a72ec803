"""Requests for certificates as laboratories send them (RFC 2986), from a seed: good ones, odd ones and wrong ones."""

import der
from der import integer, oid, sequence, tlv
from keys import ALGORITHMS
from oddities import ALL
from chains import Chain


def one_request(pool, random):
    """Labels of what is odd, and DER."""
    labels = []
    key = random.choice(pool.strong)
    spki, subject, version, attributes = key.spki, der.common_name("laboratory"), integer(0), tlv(0xA0)
    hash, signer = "sha256", None
    algorithm = on_info = on_whole = None
    for label in random.sample(ODDITIES, random.choices([0, 1, 2], [10, 65, 25])[0]):
        labels.append(label)
        if label == "rare-key":
            name = random.choice(sorted(pool.rare))
            key = pool.rare[name]
            spki = key.spki
            labels[-1] = name
        elif label == "another-signer":
            signer = random.choice(pool.p256)
        elif label == "strange-key":
            chain = Chain("client", pool, random)
            for one in chain.all:
                one.key, one.spki = random.choice(pool.p256), None
                one.spki = one.key.spki
            ALL[random.choice(["strange-point", "curve-by-numbers"])][1](chain)
            key, spki = chain.leaf.key, chain.leaf.spki
        elif label == "sha1":
            hash = "sha1"
        elif label == "other-hash":
            hash = random.choice(["sha384", "sha512"])
        elif label == "version":
            version = random.choice([integer(1), integer(2), integer(-1), b"", tlv(2, b"\0\0"), tlv(0xA0, integer(0))])
        elif label == "attributes":
            value = sequence(oid("2.5.29.17"), der.octets(sequence(tlv(0x82, b"lab.example.org"))))
            attributes = random.choice([
                b"", tlv(0xA1), tlv(0xA0, sequence(oid("1.2.840.113549.1.9.14"),
                der.set_of(sequence(sequence(*der.children(value)))))),
                tlv(0xA0, sequence(oid("1.2.840.113549.1.9.7"), der.set_of(der.text("word")))), tlv(0xA0, der.NULL),
                tlv(0x31),
                tlv(0xA0) + tlv(0xA0), tlv(0xA0) + der.NULL, tlv(0x80)])
        elif label == "subject":
            subject = random.choice([sequence(), der.common_name(b"a\0b"), der.common_name(b"\xff"), der.NULL,
                sequence(der.NULL), der.common_name("l" * 5000)])
        elif label == "algorithm":
            algorithm = random.choice(list(ALGORITHMS.values()))
        elif label == "trailing":
            on_whole = lambda whole: whole + random.choice([b"\0", b"\n", der.NULL, whole])  # noqa: E731
        elif label == "within":
            addition = random.choice([der.NULL, sequence(), b"\0"])
            on_whole = lambda whole: sequence(*der.children(whole), addition)  # noqa: E731
        elif label == "long-lengths":
            size = random.choice([3, 5, 8])
            on_info = lambda info: tlv(0x30, *der.children(info), size=size)  # noqa: E731
        elif label == "changed":
            on_whole = lambda whole: flipped(whole, random)  # noqa: E731
        elif label == "long":
            attributes = tlv(0xA0, sequence(oid("1.2.840.113549.1.9.7"),
                der.set_of(der.text("w" * random.choice([10_000, 20_000, 10**6])))))
    info = sequence(version, subject, spki, attributes)
    if on_info:
        info = on_info(info)
    signer = signer or key
    scheme = signer.algorithm(hash)
    whole = sequence(info, algorithm or ALGORITHMS[scheme], der.bits(signer.sign(scheme, info)))
    return labels, on_whole(whole) if on_whole else whole


def flipped(whole, random):
    place = random.randrange(len(whole))
    return whole[:place] + bytes([whole[place] ^ 1 << random.randrange(8)]) + whole[place + 1 :]


ODDITIES = [
    "rare-key", "another-signer", "strange-key", "sha1", "other-hash", "version", "attributes", "subject", "algorithm",
    "trailing",
    "within", "long-lengths", "changed", "long",
]
