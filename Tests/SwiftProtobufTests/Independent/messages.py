"""Python's protobuf package on the same schemas: messages.py DESCRIPTORS MESSAGES RESULT

Reads lines with a message's name, its bytes and its JSON (in Base64, with tabs between), and writes a line `wrong` for each pair
that isn't the same message, or isn't written as Python writes it. Then it writes lines `bytes` and `json` with a message's name, what is
special, an input, and the bytes that Python writes after it has read the input, or `-` if it refuses it.
"""

import base64
import random
import re
import struct
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf import message as message_module

FIXED = {1: "<d", 2: "<f", 6: "<Q"}
WORDS = ["", "a", 'q"\\\n\x00\x7f/', "äß漢👩‍🔬", "x" * 127, "y" * 128]
NUMBERS = [0, 1, -1, 127, 128, 16383, 16384, 2**31 - 1, -(2**31), 2**32 - 1, 2**53 + 1, 2**63 - 1, -(2**63), 2**64 - 1]
REALS = [0.0, -0.0, 1.0, -1.5, 0.1, 1e300, -1e-300, 5e-324, float("inf"), float("-inf"), float("nan")]


def scalar(field):
    kind = field.type
    if kind == field.TYPE_BOOL:
        return random.random() < 0.5
    if kind == field.TYPE_STRING:
        return random.choice(WORDS)
    if kind == field.TYPE_BYTES:
        return random.randbytes(random.choice([0, 1, 2, 3, 16, 127, 128, 200]))
    if kind == field.TYPE_DOUBLE:
        return random.choice(REALS)
    if kind == field.TYPE_FLOAT:
        return struct.unpack("<f", struct.pack("<f", random.choice([r for r in REALS if abs(r) != 1e300])))[0]
    if kind == field.TYPE_ENUM:
        known = [value.number for value in field.enum_type.values]
        return random.choice(known if field.enum_type.is_closed else known + [-1, 99, 2**31 - 1])
    bits, signed = {
        field.TYPE_INT32: (32, True), field.TYPE_SINT32: (32, True), field.TYPE_INT64: (64, True),
        field.TYPE_UINT32: (32, False), field.TYPE_UINT64: (64, False), field.TYPE_FIXED64: (64, False),
    }[kind]  # fmt: skip
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return random.choice([number for number in NUMBERS if low <= number <= high] + [random.randint(low, high)])


def is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def has_maps(descriptor):
    return any(is_map(f) or f.message_type is not None and has_maps(f.message_type) for f in descriptor.fields)


def fill(message):
    for field in message.DESCRIPTOR.fields:
        if random.random() < 0.25:
            continue
        target = getattr(message, field.name)
        if is_map(field):
            for _ in range(random.randrange(4)):
                target[scalar(field.message_type.fields_by_number[1])] = scalar(field.message_type.fields_by_number[2])
        elif field.message_type is not None:
            for part in [target.add() for _ in range(random.randrange(3))] if field.is_repeated else [target]:
                fill(part)
                if not field.is_repeated:
                    part.SetInParent()
        elif field.is_repeated:
            target.extend(scalar(field) for _ in range(random.randrange(4)))
        else:
            setattr(message, field.name, scalar(field))
    return message


def canonical(message):
    """The message's bytes. Entries of maps in the order of their keys, as protoc writes them; Python's order is another one."""
    return within(message.DESCRIPTOR, message.SerializeToString(deterministic=True), sorted_maps)


# MARK: Bytes


def varint(number, length=1):
    result = bytearray()
    while number >= 0x80 or len(result) + 1 < length:
        result.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(result) + bytes([number])


def read_varint(data, position):
    number = shift = 0
    while True:
        byte, position = data[position], position + 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, position


def fields_of(data):
    """(number, type, value) of each field: a number, or bytes. Starts and ends of groups count as fields."""
    position, fields = 0, []
    while position < len(data):
        tag, position = read_varint(data, position)
        if tag & 7 == 0:
            value, position = read_varint(data, position)
        else:
            length = {1: 8, 3: 0, 4: 0, 5: 4}.get(tag & 7)
            if length is None:
                length, position = read_varint(data, position)
            value, position = data[position : position + length], position + length
        fields.append((tag >> 3, tag & 7, value))
    return fields


def written(fields, overlong=False):
    """Numbers of up to ten bytes, and lengths and tags of up to five, mean the same as short ones."""
    result = b""
    for number, kind, value in fields:
        result += varint(number << 3 | kind, random.randint(1, 5) if overlong else 1)
        if kind == 0:
            result += varint(value, random.randint(1, 10) if overlong else 1)
        elif kind == 2:
            result += varint(len(value), random.randint(1, 5) if overlong else 1) + value
        else:
            result += value
    return result


def within(descriptor, data, change):
    """Changes the fields of a message, and first those of the messages in it."""
    fields = []
    for number, kind, value in fields_of(data):
        field = descriptor.fields_by_number.get(number)
        if kind == 2 and field is not None and field.message_type is not None:
            value = within(field.message_type, value, change)
        fields.append((number, kind, value))
    return change(descriptor, fields)


def sorted_maps(descriptor, fields):
    maps = {field.number for field in descriptor.fields if is_map(field)}

    def key(entry):
        key = dict((number, value) for number, _, value in fields_of(entry[2])).get(1, 0)
        return key - (1 << 64) if key >> 63 else key

    for number in maps:
        places = [index for index, field in enumerate(fields) if field[0] == number and field[1] == 2]
        for index, entry in zip(places, sorted((fields[index] for index in places), key=key)):
            fields[index] = entry
    return written(fields)


def overlong(descriptor, fields):
    return written(fields, overlong=True)


def repacked(descriptor, fields):
    """What is packed comes one by one, and the other way around."""
    result = []
    for number, kind, value in fields:
        field = descriptor.fields_by_number.get(number)
        if field is None or not field.is_repeated or field.message_type is not None or field.type in (9, 12):
            result.append((number, kind, value))
            continue
        size = struct.calcsize(FIXED[field.type]) if field.type in FIXED else 0
        position = 0
        while position < len(value):
            if size:
                own, element = {8: 1, 4: 5}[size], value[position : position + size]
                position += size
            else:
                own = 0
                element, position = read_varint(value, position)
            result.append((number, own, element))
            if random.random() < 0.3:
                result.append((number, 2, element if size else varint(element)))
        if random.random() < 0.3:
            result.append((number, 2, b""))
    return written(result)


def shuffled(descriptor, fields):
    fields = fields + random.sample(fields, len(fields) // 2)
    random.shuffle(fields)
    return written(fields)


def split(descriptor, fields):
    """A message comes in two parts."""
    result = []
    for number, kind, value in fields:
        field = descriptor.fields_by_number.get(number)
        if field is not None and field.message_type is not None and not field.is_repeated:
            parts = fields_of(value)
            middle = random.randint(0, len(parts))
            result += [(number, 2, written(parts[:middle])), (number, 2, written(parts[middle:]))]
        else:
            result.append((number, kind, value))
    return written(result)


def mistyped(descriptor, fields):
    """Fields come as other types, and fields that nobody knows. In entries of maps, Python treats them in a way of its own."""
    if descriptor.GetOptions().map_entry:
        return written(fields)
    values = {0: 5, 1: b"12345678", 2: b"\x08\x01", 5: b"1234"}
    numbers = [field.number for field in descriptor.fields if random.random() < 0.5] + [536870911]
    for number in numbers:
        kind = random.choice(list(values))
        fields.insert(random.randint(0, len(fields)), (number, kind, values[kind]))
    return written(fields)


def variants(kind):
    first, second = fill(kind()), fill(kind())
    data = canonical(first)
    yield "plain", data
    yield "merged", data + canonical(second)
    for change in (overlong, repacked, shuffled, split, mistyped):
        yield change.__name__, within(kind.DESCRIPTOR, data, change)
    for count in (1, 50, 1000):
        yield "groups", data + b"\xfb\xff\x7f" * count + b"\xfc\xff\x7f" * count
    yield "endless group", data + b"\xfb\xff\x7f"
    for position in range(0, len(data), len(data) // 40 + 1):
        yield "truncated", data[:position]
    # An entry of a map that has unknown fields is itself an unknown field to Python. Elsewhere, as to this module, it is an entry.
    for _ in range(0 if has_maps(kind.DESCRIPTOR) or not data else 20):
        changed = bytearray(data)
        for _ in range(random.randint(1, 3)):
            changed[random.randrange(len(changed))] = random.choice([0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)])
        # Of a number with more than 64 bits, Python takes the lowest ones, and this module refuses it.
        if not re.search(b"[\x80-\xff]{9}[\x02-\x7f]", changed):
            yield "changed", bytes(changed)


# MARK: JSON


def retyped(descriptor, object):
    """Numbers of 64 bits as numbers, others in quotation marks or as reals; some nulls."""
    result = {}
    for field in descriptor.fields:
        if field.json_name not in object:
            if random.random() < 0.2:
                result[field.json_name] = None
            continue
        value = object[field.json_name]
        if is_map(field):
            result[field.json_name] = value
            continue

        def other(value):
            if field.message_type is not None:
                return retyped(field.message_type, value)
            if field.type in (3, 4, 6):
                return int(value)
            if field.type in (5, 13, 17):
                return random.choice([str(value), float(value)])
            return value

        result[field.json_name] = [other(part) for part in value] if field.is_repeated else other(value)
    return result


def json_variants(kind):
    message = fill(kind())
    yield "plain", json_format.MessageToJson(message, indent=None)
    yield "indented", json_format.MessageToJson(message, indent=3, ensure_ascii=False)
    yield "names", json_format.MessageToJson(message, preserving_proto_field_name=True, use_integers_for_enums=True)
    yield "zeros", json_format.MessageToJson(message, always_print_fields_with_no_presence=True)
    object = retyped(kind.DESCRIPTOR, json_format.MessageToDict(message))
    yield "retyped", json_format.json.dumps(object)


# MARK: Both ways


def coded(data):
    return base64.b64encode(data).decode()


def is_text(message):
    """Whether all strings are UTF-8, which Python doesn't ask in proto2: it gives the bytes of those that aren't."""
    for field, value in message.ListFields():
        values = value if field.is_repeated and not is_map(field) else [value]
        if field.type == field.TYPE_STRING and any(isinstance(text, bytes) for text in values):
            return False
        if field.message_type is not None and not is_map(field) and not all(is_text(part) for part in values):
            return False
    return True


def answer(read, keeps_unknown=True):
    try:
        message = read()
    except (message_module.DecodeError, json_format.ParseError):
        return "-"
    if not is_text(message):
        return "-"
    if not keeps_unknown:
        message.DiscardUnknownFields()
    return coded(canonical(message))


def main(descriptors, messages, result):
    random.seed(11)
    files = descriptor_pb2.FileDescriptorSet.FromString(open(descriptors, "rb").read())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    kinds = {}
    with open(messages) as lines, open(result, "w") as output:
        for line in lines:
            name, data, text = line.rstrip("\n").split("\t")
            if name not in kinds:
                kinds[name] = message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
            data, text = base64.b64decode(data), base64.b64decode(text)
            # Python refuses the largest number of 32 bits as it writes it, with as few digits as tell it from others.
            text = text.replace(b"3.4028235e+38", b"3.4028234663852886e+38")
            message = kinds[name].FromString(data)
            if canonical(message) != data:
                print("wrong", name, "bytes", coded(data), coded(canonical(message)), sep="\t", file=output)
            elif answer(lambda: json_format.Parse(text, kinds[name]())) != coded(data):
                print("wrong", name, "json", coded(text), coded(data), sep="\t", file=output)
        for name, kind in kinds.items():
            for _ in range(6):
                for what, data in variants(kind):
                    # Of what a change makes of them, Python writes unknown fields in another form than it read.
                    expected = answer(lambda: kind.FromString(data), keeps_unknown=what != "changed")
                    print("bytes", name, what, coded(data), expected, sep="\t", file=output)
                for what, text in json_variants(kind):
                    expected = answer(lambda: json_format.Parse(text, kind()))
                    print("json", name, what, coded(text.encode()), expected, sep="\t", file=output)


main(*sys.argv[1:])
