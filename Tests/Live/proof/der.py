"""DER by hand, so that it can also be wrong: X.690 and RFC 5280."""


def length(count, size=0):
    """A length in as few bytes as possible, or in the long form with `size` bytes."""
    if size == 0 and count < 0x80:
        return bytes([count])
    size = size or (count.bit_length() + 7) // 8
    return bytes([0x80 | size]) + count.to_bytes(size, "big")


def tlv(tag, *content, size=0):
    content = b"".join(content)
    return bytes([tag]) + length(len(content), size) + content


def sequence(*content):
    return tlv(0x30, *content)


def set_of(*content):
    return tlv(0x31, *sorted(content))


def integer(number):
    return tlv(2, number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True))


def boolean(value):
    return tlv(1, b"\xff" if value else b"\0")


def octets(content):
    return tlv(4, content)


def bits(content, unused=0):
    return tlv(3, bytes([unused]) + content)


def named_bits(*places):
    """Bits by their numbers, without zeros at the end (X.690, section 11.2.2)."""
    if not places:
        return bits(b"")
    number = sum(1 << (15 - place) for place in places)
    content = number.to_bytes(2, "big")
    content = content if number & 0xFF else content[:1]
    unused = (content[-1] & -content[-1]).bit_length() - 1
    return bits(content, unused)


def oid(text):
    first, second, *rest = (int(part) for part in text.split("."))
    content = b""
    for number in (first * 40 + second, *rest):
        groups = [number & 0x7F]
        while number := number >> 7:
            groups.append(number & 0x7F | 0x80)
        content += bytes(reversed(groups))
    return tlv(6, content)


NULL = tlv(5)


def text(string, tag=0x0C):
    return tlv(tag, string if isinstance(string, bytes) else string.encode())


def name(*parts):
    """A distinguished name of single attributes: (type, value in DER)."""
    return sequence(*(set_of(sequence(oid(kind), value)) for kind, value in parts))


COMMON_NAME, ORGANIZATION, COUNTRY = "2.5.4.3", "2.5.4.10", "2.5.4.6"


def common_name(string, tag=0x0C):
    return name((COMMON_NAME, text(string, tag)))


def utc_time(string):
    return tlv(0x17, string.encode())


def generalized_time(string):
    return tlv(0x18, string.encode())


def children(encoded):
    """The elements in the element that `encoded` is, each with its header. Only for what this module has written."""
    def header(at):
        if encoded[at + 1] < 0x80:
            return at + 2, encoded[at + 1]
        size = encoded[at + 1] & 0x7F
        return at + 2 + size, int.from_bytes(encoded[at + 2 : at + 2 + size], "big")

    at, count = header(0)
    end, found = at + count, []
    while at < end:
        start, count = header(at)
        found.append(encoded[at : start + count])
        at = start + count
    return found
