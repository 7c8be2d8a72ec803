"""What may be odd or wrong with a chain: functions by their labels, each for a certificate in it, or for all of it."""

import datetime

import der
from chains import (
    ADDRESS, ADDRESS_BYTES, ANY, BASIC, CLIENT, CODE, CONSTRAINTS, HOST, ISSUER_KEY, NAMES, OWN_KEY, PURPOSES, SERVER,
    USAGE,
    Certificate, Chain, address, dns, identify, uri)
from der import bits, boolean, common_name, generalized_time, integer, named_bits, octets, oid, sequence, tlv, utc_time
from keys import ALGORITHMS

ALL = {}


def odd(*lanes):
    """Registers a change of a whole chain. It returns False if there is nothing to change in this one."""
    def register(function):
        ALL[function.__name__.replace("_", "-")] = (lanes or Chain.LANES, function)
        return function

    return register


def odd_certificate(where):
    """Registers a change of one certificate: of the leaf, of an authority, or of any."""
    def register(function):
        def change(chain):
            if where == "any":
                one = chain.random.choice(chain.all)
            else:
                one = chain.leaf if where == "leaf" else chain.random.choice(chain.authorities)
            return function(one, chain.random)

        ALL[function.__name__.replace("_", "-")] = (Chain.LANES, change)
        return function

    return register


def apply(chain, label):
    lanes, change = ALL[label]
    # What was applied before may have taken away all authorities.
    if chain.lane in lanes and len(chain.all) > 1 and change(chain) is not False:
        chain.labels.append(label)


# MARK: Validity


@odd_certificate("any")
def expired(one, random):
    one.start, one.end = utc_time("200101000000Z"), utc_time("210101000000Z")


@odd_certificate("any")
def not_yet_valid(one, random):
    one.start = utc_time("480101000000Z")


@odd_certificate("any")
def validity_reversed(one, random):
    one.start, one.end = one.end, one.start


@odd_certificate("any")
def wrong_form_of_time(one, random):
    one.end = random.choice([
        generalized_time("20491231235959Z"), generalized_time("20491231235959.5Z"), generalized_time("204912312359Z"),
        utc_time("4912312359Z"), utc_time("491231235959+0000"), utc_time("491231235959"), utc_time("491331235959Z"),
        utc_time("490230235959Z"), utc_time("491231245959Z"), utc_time("491231235960Z"), utc_time(" 91231235959Z"),
        generalized_time("99991231235959Z"), generalized_time("20500101000000Z"), tlv(0x0C, b"491231235959Z")])


def seconds(year, *rest):
    return int(datetime.datetime(year, *rest, tzinfo=datetime.timezone.utc).timestamp())


@odd("attest")
def at_the_last_second(chain):
    chain.time = seconds(2049, 12, 31, 23, 59, 59)


@odd("attest")
def after_the_last_second(chain):
    chain.time = seconds(2050, 1, 1)


@odd("attest")
def at_the_first_second(chain):
    chain.time = seconds(2020, 1, 1)


@odd("attest")
def before_the_first_second(chain):
    chain.time = seconds(2020, 1, 1) - 1


# MARK: Signatures


@odd()
def signed_by_another_key(chain):
    one = chain.random.choice(chain.all[:-1])
    one.signer = chain.random.choice([key for key in chain.pool.p256 if key is not one_issuer(chain, one).key])


def one_issuer(chain, one):
    return chain.all[min(chain.all.index(one) + 1, len(chain.all) - 1)]


@odd_certificate("any")
def signed_with_sha1(one, random):
    one.hash = "sha1"


@odd_certificate("any")
def signed_with_sha384_or_sha512(one, random):
    one.hash = random.choice(["sha384", "sha512"])


@odd()
def signed_with_pss(chain):
    one = chain.random.choice(chain.all[:-1])
    one_issuer(chain, one).key = chain.pool.rsa
    one_issuer(chain, one).spki = chain.pool.rsa.spki
    one.algorithm = "pss-sha256"


@odd_certificate("any")
def two_algorithms(one, random):
    one.inner_algorithm = random.choice(list(ALGORITHMS.values()))


@odd()
def strange_parameters(chain):
    one = chain.random.choice(chain.all[:-1])
    algorithm = ALGORITHMS[one_issuer(chain, one).key.algorithm(one.hash)]
    parameters = chain.random.choice([b"", der.NULL, integer(1), sequence()])
    one.algorithm = sequence(der.children(algorithm)[0], parameters)


@odd_certificate("any")
def changed_after_signing(one, random):
    def change(whole):
        place = random.randrange(20, len(whole))
        return whole[:place] + bytes([whole[place] ^ 1 << random.randrange(8)]) + whole[place + 1 :]

    one.on_whole.append(change)


@odd_certificate("any")
def no_signature(one, random):
    kind = random.choice(["empty", "zeros", "ones", "zero numbers"])
    one.on_signature.append(lambda signature: {
        "empty": b"", "zeros": bytes(len(signature)), "ones": b"\xff" * len(signature),
        "zero numbers": sequence(integer(0), integer(0))}[kind])


@odd_certificate("any")
def signature_in_another_form(one, random):
    def change(signature):
        if signature[0] != 0x30:
            return random.choice([signature + b"\0", b"\0" + signature, signature[:-1]])
        r, s = der.children(signature)
        return random.choice([
            signature + b"\0", sequence(r, s, b""), sequence(r, s, integer(1)), tlv(0x30, r, s, size=2),
            sequence(tlv(2, b"\0", r[2:]), s), b"\x30\x80" + r + s + b"\0\0"])

    one.on_signature.append(change)


# MARK: Keys


def give_key(chain, label, where):
    one = chain.leaf if where == "leaf" else chain.random.choice(chain.authorities)
    key = chain.pool.rare[label]
    # A leaf has to show that it has its private key.
    if one is chain.leaf and not key.pkcs8:
        return False
    one.key, one.spki = key, key.spki


def register_keys():
    for label in ("rsa-1024", "rsa-exponent-3", "rsa-exponent-1", "p-521", "p-192", "secp256k1", "ed25519"):
        for where in ("leaf", "authority"):
            ALL[f"{where}-with-{label}"] = (
                Chain.LANES, lambda chain, label=label, where=where: give_key(chain, label, where))


register_keys()


@odd_certificate("any")
def strange_point(one, random):
    if one.key.kind != "ec":
        return False
    algorithm, key = der.children(one.spki)
    point = key[key.index(b"\x04", 3) :]
    size = len(point) // 2
    odd_y = point[-1] & 1
    one.spki = sequence(algorithm, bits(random.choice([
        bytes([2 + odd_y]) + point[1 : 1 + size], bytes([6 + odd_y]) + point[1:], bytes([7 - odd_y]) + point[1:], b"\0",
        point[:-1] + bytes([point[-1] ^ 1]), b"\x04" + bytes(2 * size), b"\x04" + b"\xff" * (2 * size), point + b"\0",
        point[:-1], b""])))


@odd_certificate("any")
def curve_by_numbers(one, random):
    """P-256 with explicit parameters (CVE-2020-0601), the generator being the key itself."""
    if one.key.kind != "ec" or one.key.private.curve.key_size != 256:
        return False
    point = der.children(one.key.spki)[1][3:]
    field = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
    b = bytes.fromhex("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b")
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    curve = sequence(
        integer(1), sequence(oid("1.2.840.10045.1.1"), integer(field)),
        sequence(octets((field - 3).to_bytes(32, "big")), octets(b)), octets(point), integer(order), integer(1))
    one.spki = sequence(sequence(oid("1.2.840.10045.2.1"), curve), bits(point))


# MARK: Who may do what


@odd_certificate("authority")
def authority_without_constraints(one, random):
    one.extensions.pop(BASIC, None)


@odd_certificate("authority")
def authority_that_is_none(one, random):
    one.say(BASIC, sequence(), critical=True)


@odd_certificate("authority")
def constraints_not_critical(one, random):
    one.say(BASIC, sequence(boolean(True)))


@odd_certificate("any")
def strange_constraints(one, random):
    one.say(BASIC, random.choice([
        sequence(boolean(False)), sequence(tlv(1, b"\1")), sequence(integer(0)), sequence(boolean(True), integer(-1)),
        sequence(boolean(True), tlv(2, b"\0\0")), sequence(boolean(True), integer(0), integer(0)),
        sequence(integer(1), boolean(True)),
        sequence(boolean(True), integer(1 << 70)), sequence(boolean(True)) + b"\0", b"", tlv(0x31, boolean(True))]),
        critical=True)


@odd_certificate("authority")
def path_length(one, random):
    one.say(BASIC, sequence(boolean(True), integer(random.choice([0, 0, 1, 2, 200]))), critical=True)


@odd_certificate("leaf")
def leaf_without_constraints(one, random):
    one.extensions.pop(BASIC, None)


@odd_certificate("leaf")
def leaf_that_is_an_authority(one, random):
    Chain.authority(one, one)


@odd_certificate("any")
def no_usage(one, random):
    one.extensions.pop(USAGE, None)


@odd_certificate("authority")
def authority_that_may_not_sign(one, random):
    one.say(USAGE, random.choice([named_bits(0), named_bits(6), named_bits(0, 2, 3)]), critical=True)


@odd_certificate("leaf")
def leaf_that_may_not_sign(one, random):
    one.say(USAGE, random.choice([named_bits(2), named_bits(4), named_bits(5), named_bits(6)]), critical=True)


@odd_certificate("any")
def strange_usage(one, random):
    one.say(USAGE, random.choice([
        named_bits(), bits(b"\x80", 0), bits(b"\x80\0", 7), bits(b"\x81", 0), bits(b"\xff\x80\x80", 7), bits(b"", 1),
        b"\x03\x01\x08", b"\x03\x00", octets(b"\x80"), named_bits(0, 5, 6) + b"\0"]), critical=True)


@odd_certificate("leaf")
def no_purposes(one, random):
    one.extensions.pop(PURPOSES, None)


@odd_certificate("leaf")
def wrong_purpose(one, random):
    one.say(PURPOSES, sequence(*random.choice([[oid(CODE)], [oid(CODE), oid("1.3.6.1.5.5.7.3.8")], [oid("1.2.3")]])))


@odd("server", "client")
def purpose_of_the_other_side(chain):
    chain.leaf.say(PURPOSES, sequence(oid(CLIENT if chain.lane == "server" else SERVER)))


@odd_certificate("leaf")
def any_purpose(one, random):
    one.say(PURPOSES, sequence(oid(ANY)))


@odd_certificate("leaf")
def strange_purposes(one, random):
    one.say(PURPOSES, random.choice([sequence(), sequence(oid(SERVER), oid(SERVER)), oid(SERVER), b"",
        sequence(integer(1))]))


@odd_certificate("any")
def critical_purposes(one, random):
    one.say(PURPOSES, sequence(oid(SERVER), oid(CLIENT)), critical=True)


@odd_certificate("authority")
def authority_for_another_purpose(one, random):
    one.say(PURPOSES, sequence(oid(random.choice([SERVER, CLIENT, CODE]))))


# MARK: The chain


@odd("server", "client")
def deep(chain):
    """Up to twelve intermediate authorities; ours allows four."""
    while len(chain.all) < chain.random.randint(5, 14):
        one = Certificate(common_name(f"Deep {len(chain.all)}"), chain.random.choice(chain.pool.p256))
        chain.authority(one, chain.all[1])
        chain.all.insert(1, one)
    identify(chain.leaf, chain.all[1])


@odd("server", "client")
def looped(chain):
    """Two authorities issued each other, and neither the root."""
    first, second = (Certificate(common_name(name), key) for name, key in zip(("Loop A", "Loop B"), chain.pool.p256))
    for one, issuer in ((first, second), (second, first)):
        chain.authority(one, issuer)
        one.issuer, one.signer = issuer.subject, issuer.key
        one.build(issuer)
    identify(chain.leaf, first)
    chain.leaf.issuer, chain.leaf.signer = first.subject, first.key
    chain.sent = [first, second]


@odd("server", "client")
def missing_link(chain):
    if not chain.intermediates:
        return False
    chain.sent = chain.intermediates[:-1]


@odd("server", "client")
def shuffled(chain):
    chain.sent = chain.intermediates + [chain.root] + [chain.leaf]
    chain.random.shuffle(chain.sent)


@odd("server", "client")
def strangers_between(chain):
    strangers = []
    for number in range(chain.random.randint(1, 5)):
        one = Certificate(common_name("Intermediate 0"), chain.random.choice(chain.pool.p256))
        chain.authority(one, chain.root)
        one.issuer, one.signer = chain.root.subject, one.key
        one.build(one)
        strangers.append(one)
    chain.sent = strangers + chain.intermediates


@odd()
def self_signed_leaf(chain):
    chain.leaf.issuer, chain.leaf.signer = chain.leaf.subject, chain.leaf.key


@odd("server", "client")
def leaf_is_the_root(chain):
    chain.leaf.issuer, chain.leaf.signer = chain.leaf.subject, chain.leaf.key
    chain.all = [chain.leaf]


@odd("attest")
def root_in_between(chain):
    """The leaf was issued by the root, which stands in the intermediate certificate's place as well."""
    chain.all = [chain.leaf, chain.root, chain.root]
    identify(chain.leaf, chain.root)


@odd()
def issued_by_the_leafs_neighbour(chain):
    """The issuer is a leaf with its own good chain."""
    neighbour = Certificate(common_name("Neighbour"), chain.random.choice(chain.pool.p256))
    identify(neighbour, chain.all[1])
    neighbour.say(BASIC, sequence(), critical=True)
    neighbour.say(USAGE, named_bits(0), critical=True)
    if chain.lane == "attest":
        chain.all[1] = neighbour
    else:
        chain.all.insert(1, neighbour)
    identify(chain.leaf, neighbour)


@odd()
def other_issuer_name(chain):
    one = chain.random.choice(chain.all[:-1])
    one.issuer = chain.random.choice([common_name("Nobody"), sequence(), one_issuer(chain, one).subject[:-1] + b"\0"])


@odd()
def same_name_in_another_form(chain):
    """Equal for RFC 5280, section 7.1, but not byte for byte."""
    one = chain.random.choice(chain.all[:-1])
    name = chain.random.choice([("Root", 0x13), ("ROOT", 0x0C), ("Root ", 0x0C), ("root", 0x0C), ("  Root", 0x0C)])
    issuer = one_issuer(chain, one)
    issuer.subject = common_name("Root")
    one.issuer = common_name(*name)


@odd_certificate("any")
def strange_subject(one, random):
    one.subject = random.choice([
        sequence(), common_name(b"lab\0oratory"), common_name(b"\xff\xfe"), common_name("l" * 70),
        common_name("ab", 0x1E),
        sequence(der.set_of(sequence(oid("2.5.4.3"), der.text("a")), sequence(oid("2.5.4.10"), der.text("b")))),
        sequence(tlv(0x31)), sequence(sequence(oid("2.5.4.3"), der.text("a"))), common_name(b"*", 0x13),
        common_name(b"a_b", 0x13),
        der.name(("2.5.4.6", der.text("DEU", 0x13))), der.name(("2.5.4.3", integer(1)))])


# MARK: Names


@odd_certificate("leaf")
def wildcard(one, random):
    one.say(NAMES, sequence(dns(random.choice([
        "*.example.org", "*.org", "*", "w*.example.org", "*w.example.org", "www.*.org", "*.*.org", "*.www.example.org",
        "*www.example.org", "xn--*.example.org", "*.EXAMPLE.org"])), uri("vigil:role:lab")))


@odd_certificate("leaf")
def other_host(one, random):
    one.say(NAMES, sequence(dns(random.choice([
        "example.org", "www.example.com", "wwww.example.org", "www.example.org.evil.example", "evil.example",
        "www.example.or", "a.www.example.org"])), uri("vigil:role:lab")))


@odd_certificate("leaf")
def same_host_in_another_form(one, random):
    one.say(NAMES, sequence(dns(random.choice([
        "WWW.Example.ORG", "www.example.org.", ".example.org", "www..example.org", " www.example.org",
        "www.example.org ",
        "www.example.org:443", "https://www.example.org", "www%2eexample.org", "www\u3002example.org",
        "www.example.org/"])), uri("vigil:role:lab")))


@odd_certificate("leaf")
def control_characters(one, random):
    one.say(NAMES, sequence(*random.choice([
        [dns(b"www.example.org\0.evil.example")], [dns(b"www.example.org\0")], [dns(b"\0www.example.org")],
        [dns(b"www.example.org\n")], [dns(b"www.ex\xc3\xa4mple.org"), dns(HOST)],
        [dns(HOST), uri(b"vigil:role:lab\0")], [dns(HOST), uri(b"vigil:role:\0lab")],
        [dns(HOST), uri("vigil:role:l\u00e4b")]])))


@odd_certificate("leaf")
def host_in_the_subject_alone(one, random):
    one.subject = common_name(HOST)
    one.extensions.pop(NAMES, None)


@odd_certificate("leaf")
def address_as_host(one, random):
    one.say(NAMES, sequence(dns(ADDRESS), uri("vigil:role:lab")))


@odd_certificate("leaf")
def other_address(one, random):
    one.say(NAMES, sequence(dns(HOST), address(random.choice([
        bytes([192, 0, 2, 2]), bytes(10) + b"\xff\xff" + ADDRESS_BYTES, ADDRESS_BYTES + b"\0", ADDRESS_BYTES[:3], b"",
        ADDRESS_BYTES + bytes([255] * 4), bytes(16)])), uri("vigil:role:lab")))


@odd_certificate("leaf")
def no_names(one, random):
    one.say(NAMES, random.choice([sequence(), b"", sequence(integer(1)), sequence(tlv(0x89, b"x")),
        sequence(dns(HOST)) + b"\0", dns(HOST)]))


@odd_certificate("leaf")
def rare_names(one, random):
    one.say(NAMES, sequence(dns(HOST), address(ADDRESS_BYTES), uri("vigil:role:lab"), random.choice([
        tlv(0x81, b"somebody@example.org"), tlv(0x81, b"nobody"), tlv(0xA4, common_name("directory")),
        tlv(0x88, b"\x2a\x03"),
        tlv(0xA0, oid("1.2.3"), tlv(0xA0, der.text("other"))), tlv(0xA3), tlv(0xA5), dns(""), uri(""), uri("no uri"),
        uri("http://example.org:99999/")])))


@odd_certificate("leaf")
def critical_names(one, random):
    one.say(NAMES, sequence(dns(HOST), address(ADDRESS_BYTES), uri("vigil:role:lab")), critical=True)


@odd("client")
def roles(chain):
    chain.leaf.say(NAMES, sequence(dns(HOST), *(uri(name) for name in chain.random.choice([
        [], ["vigil:role:lab", "vigil:role:portal"], ["vigil:role:lab", "vigil:role:lab"], ["vigil:role:nobody"],
        ["vigil:role:"], ["VIGIL:role:lab"], ["vigil:role:LAB"], ["vigil:role:lab "], ["urn:vigil:role:lab"],
        ["vigil:role:portal"],
        ["https://example.org", "vigil:role:further"], ["vigil:role:nobody", "vigil:role:lab"]]))))


@odd_certificate("leaf")
def role_elsewhere(one, random):
    kind = random.choice([dns, lambda text: tlv(0x81, text.encode())])
    one.say(NAMES, sequence(dns(HOST), address(ADDRESS_BYTES), kind("vigil:role:portal")))
    one.subject = common_name("vigil:role:portal")


@odd_certificate("leaf")
def thousand_names(one, random):
    one.say(NAMES, sequence(*(dns(f"host-{number}.example.org") for number in range(1000)), dns(HOST),
        uri("vigil:role:lab")))


@odd("server", "attest")
def megabyte_of_names(chain):
    """One in ten: it takes long to make."""
    if chain.random.randrange(10):
        return False
    names = sequence(*(dns(f"{number:05}.{'a' * 50}.example.org") for number in range(14_000)), dns(HOST),
        uri("vigil:role:lab"))
    chain.leaf.say(NAMES, names)


# MARK: Constraints on names


@odd()
def name_constraints(chain):
    one = chain.random.choice(chain.authorities)
    permitted, excluded = (lambda *names: tlv(0xA0, *map(sequence, names))), (lambda *names: tlv(0xA1,
        *map(sequence, names)))
    one.say(CONSTRAINTS, sequence(chain.random.choice([
        permitted(dns("example.org")), permitted(dns(".example.org")), permitted(dns("www.example.org")),
        permitted(dns("")),
        permitted(dns("example.com")), permitted(dns("xample.org")), permitted(dns("org")),
        excluded(dns("example.org")),
        excluded(dns("")), excluded(dns("www.example.com")),
        permitted(dns("example.org")) + excluded(dns("www.example.org")),
        permitted(address(ADDRESS_BYTES + bytes([255] * 4))), permitted(address(bytes([10, 0, 0, 0, 255, 0, 0, 0]))),
        excluded(address(bytes([192, 0, 2, 0, 255, 255, 255, 0]))), permitted(address(ADDRESS_BYTES)),
        permitted(uri("example.org")),
        excluded(tlv(0xA4, common_name("laboratory"))), permitted(tlv(0xA4, common_name("nobody"))), b"", permitted(),
        permitted(tlv(0x81, b"example.org")), permitted(tlv(0xA0, oid("1.2.3"), tlv(0xA0, der.NULL)))])),
        critical=chain.random.random() < 0.8)


@odd_certificate("leaf")
def constraints_in_a_leaf(one, random):
    one.say(CONSTRAINTS, sequence(tlv(0xA0, sequence(dns("example.org")))), critical=True)


# MARK: Extensions


@odd_certificate("any")
def unknown_critical_extension(one, random):
    one.say("1.2.3.4.5", der.NULL, critical=True)


@odd_certificate("any")
def unknown_extension(one, random):
    one.say("1.2.3.4.6", random.choice([b"", b"no der", der.NULL, random.randbytes(100)]))


@odd_certificate("any")
def critical_extension_of_others(one, random):
    kind, value = random.choice([
        ("2.5.29.32", sequence(sequence(oid("2.5.29.32.0")))), ("2.5.29.36", sequence(tlv(0x80, b"\0"))),
        ("2.5.29.54", integer(0)),
        ("2.5.29.18", sequence(dns(HOST))), ("1.3.6.1.5.5.7.1.24", sequence(integer(5))),
        ("1.3.6.1.4.1.11129.2.4.3", der.NULL),
        ("2.5.29.31", sequence()), ("1.3.6.1.5.5.7.1.14", sequence()), ("2.5.29.9", sequence())])
    one.say(kind, value, critical=True)


@odd_certificate("any")
def extension_twice(one, random):
    extensions = list(one.extensions.values())
    if extensions:
        again = random.choice(extensions)
        one.wrapped_extensions = tlv(0xA3, sequence(*extensions, again))


@odd_certificate("any")
def strange_extensions(one, random):
    extensions = list(one.extensions.values())
    one.wrapped_extensions = random.choice([
        b"", tlv(0xA3, sequence()), tlv(0xA3), tlv(0xA3, sequence(*extensions), sequence(*extensions)),
        tlv(0xA3, tlv(0x31, *extensions)),
        tlv(0xA3, sequence(*extensions, sequence(oid("1.2.3.9"), boolean(False), octets(b"")))),
        tlv(0xA3, sequence(*extensions, sequence(oid("1.2.3.9"), tlv(1, b"\1"), octets(b"")))),
        tlv(0xA3, sequence(*extensions, sequence(oid("1.2.3.9"), octets(b""), octets(b"")))),
        tlv(0xA3, sequence(*extensions, sequence(oid("1.2.3.9")))), tlv(0xA4, sequence(*extensions))])


@odd_certificate("any")
def other_key_identifiers(one, random):
    one.say(ISSUER_KEY, random.choice([
        sequence(tlv(0x80, random.randbytes(20))), sequence(), sequence(tlv(0x82, b"\1")), tlv(0x80, b""),
        sequence(tlv(0xA1, tlv(0xA4, common_name("Nobody"))), tlv(0x82, b"\5"))]))


@odd_certificate("any")
def no_key_identifiers(one, random):
    one.extensions.pop(random.choice([OWN_KEY, ISSUER_KEY]), None)


@odd_certificate("any")
def unique_identifiers(one, random):
    one.unique = random.choice([tlv(0x81, b"\0\1"), tlv(0x82, b"\0\2"), tlv(0x81, b"\0\1") + tlv(0x82, b"\0\2"),
        tlv(0x82, b"\0\2") + tlv(0x81, b"\0\1")])


# MARK: Versions, numbers and encodings


@odd_certificate("any")
def version_1(one, random):
    one.version = b""
    one.wrapped_extensions = b""


@odd_certificate("any")
def strange_version(one, random):
    one.version = random.choice([
        b"", tlv(0xA0, integer(0)), tlv(0xA0, integer(1)), tlv(0xA0, integer(3)), tlv(0xA0, integer(-1)),
        tlv(0xA0, tlv(2, b"\0\2")),
        tlv(0xA0, integer(2), integer(2)), tlv(0xA0), integer(2), tlv(0xA0, integer(1 << 70))])


@odd_certificate("any")
def serial_number_0(one, random):
    one.serial = integer(0)


@odd_certificate("any")
def strange_serial_number(one, random):
    one.serial = random.choice([
        integer(-5), integer(1 << 159), integer((1 << 158) + 1), integer(1 << 400), tlv(2), tlv(2, b"\0\1"),
        tlv(2, b"\xff\xff"), tlv(4, b"\1"),
        integer(1)])


@odd_certificate("any")
def trailing_bytes(one, random):
    one.on_whole.append(lambda whole: whole + random.choice([b"\0", b"\0\0", b"\n", whole, der.NULL]))


@odd_certificate("any")
def trailing_bytes_within(one, random):
    where = random.choice(["body", "whole"])
    addition = random.choice([der.NULL, integer(1), b"\0", sequence()])

    def change(encoded):
        return sequence(*der.children(encoded), addition)

    (one.on_body if where == "body" else one.on_whole).append(change)


@odd_certificate("any")
def long_lengths(one, random):
    """Lengths in more bytes than they need, or none at all."""
    def change(encoded):
        parts = der.children(encoded)
        form = random.randrange(4)
        if form == 0:
            return tlv(0x30, *parts, size=random.choice([4, 5, 8]))
        if form == 1:
            return b"\x30\x80" + b"".join(parts) + b"\0\0"
        place = random.randrange(len(parts))
        content = b"".join(der.children(parts[place])) if parts[place][0] in (0x30, 0xA0, 0xA3) else None
        if content is None:
            return tlv(0x30, *parts, size=6)
        parts[place] = tlv(parts[place][0], content, size=5)
        return sequence(*parts)

    (one.on_body if random.random() < 0.7 else one.on_whole).append(change)


@odd_certificate("any")
def another_tag(one, random):
    def change(encoded):
        parts = der.children(encoded)
        place = random.randrange(len(parts))
        parts[place] = bytes([random.choice([parts[place][0] ^ 0x20, 0x31, 0x04, 0x24, 0x0C, 0x1F,
            0x00])]) + parts[place][1:]
        return sequence(*parts)

    (one.on_body if random.random() < 0.7 else one.on_whole).append(change)


def one_chain(lane, pool, random):
    """A chain with none to three oddities; most have one."""
    chain = Chain(lane, pool, random)
    for label in random.sample(sorted(ALL), random.choices([0, 1, 2, 3], [5, 60, 25, 10])[0]):
        apply(chain, label)
    return chain.build()
