#!/usr/bin/env python3
"""Makes each module's Protobuf/Generated from its Protobuf/protos: Swift for the module SwiftProtobuf of Shared/Toolkit.

protoc (Debian's package protobuf-compiler) reads the schemas. Of a schema whose option swift_prefix is empty, the declarations are
`package`, and of one that has a prefix they stay inside the module. The generated files are committed.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

FORMATS = os.path.dirname(os.path.abspath(__file__))

# MARK: What protoc says of the schemas
#
# https://github.com/protocolbuffers/protobuf/blob/v21.12/src/google/protobuf/descriptor.proto: a FileDescriptorSet is read as lists
# of fields by their numbers, and each class below knows the numbers that it needs.


def varint(data, position):
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7


def parse(data):
    """The fields of a message, each with its values: numbers, or bytes."""
    fields, position = {}, 0
    while position < len(data):
        tag, position = varint(data, position)
        if tag & 7 == 0:
            value, position = varint(data, position)
        elif tag & 7 == 2:
            length, position = varint(data, position)
            value, position = data[position : position + length], position + length
        else:
            raise ValueError("a descriptor has a field of type %d" % (tag & 7))
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def text(fields, number):
    return fields.get(number, [b""])[-1].decode()


def refuse(reason):
    sys.exit("generate.py: " + reason)


class File:
    def __init__(self, data):
        fields = parse(data)
        self.name = text(fields, 1)
        options = parse(fields.get(8, [b""])[-1])
        self.prefix = text(options, 39)
        self.access = "" if self.prefix else "package "
        self.is_proto3 = text(fields, 12) == "proto3"
        self.comments = {}
        for location in parse(fields.get(9, [b""])[-1]).get(1, []):
            location = parse(location)
            path, position = [], 0
            packed = location.get(1, [b""])[-1]
            while position < len(packed):
                number, position = varint(packed, position)
                path.append(number)
            self.comments[tuple(path)] = [text(location, 3)] + [part.decode() for part in location.get(6, [])]
        scope = "." + text(fields, 2)
        if 6 in fields or 7 in fields:
            refuse(self.name + " has a service or an extension")
        self.enums = [Enum(self, e, (5, i), scope, None) for i, e in enumerate(fields.get(5, []))]
        self.messages = [Message(self, m, (4, i), scope, None) for i, m in enumerate(fields.get(4, []))]


class Declaration:
    """A message or an enumeration."""

    def __init__(self, file, fields, path, scope, outer):
        self.file, self.path, self.outer = file, path, outer
        self.name = text(fields, 1)
        self.full_name = scope + "." + self.name
        self.own_name = self.name if outer else file.prefix + self.name
        self.swift_name = outer.swift_name + "." + self.name if outer else self.own_name


class Message(Declaration):
    def __init__(self, file, data, path, scope, outer):
        fields = parse(data)
        super().__init__(file, fields, path, scope, outer)
        if any(number in fields for number in (5, 6, 8)):
            refuse(self.full_name + " has an extension or a oneof")
        self.is_map_entry = 7 in parse(fields.get(7, [b""])[-1])
        self.enums = [Enum(file, e, path + (4, i), self.full_name, self) for i, e in enumerate(fields.get(4, []))]
        self.messages = [Message(file, m, path + (3, i), self.full_name, self) for i, m in enumerate(fields.get(3, []))]
        found = [Field(self, f, path + (2, i)) for i, f in enumerate(fields.get(2, []))]
        self.fields = sorted(found, key=lambda field: field.number)


class Enum(Declaration):
    def __init__(self, file, data, path, scope, outer):
        fields = parse(data)
        super().__init__(file, fields, path, scope, outer)
        # A value's name needn't repeat that of the enumeration.
        prefix = re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", self.name).upper() + "_"
        self.values = []
        for index, value in enumerate(fields.get(2, [])):
            value = parse(value)
            name = text(value, 1)
            own = name[len(prefix) :] if name.startswith(prefix) and name[len(prefix)].isalpha() else name
            number = value.get(2, [0])[-1]
            if number >= 1 << 31 or any(number == other[0] for other in self.values):
                refuse(name + " is negative, or a second name of a number")
            self.values.append((number, name, camel(own), path + (2, index)))


# The numbers of FieldDescriptorProto.Type, and for the scalar types: the name in schemas, the type in Swift, zero.
SCALARS = {
    1: ("double", "Double", "0"), 2: ("float", "Float", "0"), 3: ("int64", "Int64", "0"), 4: ("uint64", "UInt64", "0"),
    5: ("int32", "Int32", "0"), 6: ("fixed64", "UInt64", "0"), 8: ("bool", "Bool", "false"), 9: ("string", "String", '""'),
    12: ("bytes", "Data", "Data()"), 13: ("uint32", "UInt32", "0"), 17: ("sint32", "Int32", "0"),
}  # fmt: skip
MESSAGE, ENUM = 11, 14
# What Swift's type doesn't say.
FORMS = {6: "fixed64: ", 17: "sint32: "}


class Field:
    def __init__(self, message, data, path):
        fields = parse(data)
        self.message, self.path = message, path
        self.name, self.number = text(fields, 1), fields[3][-1]
        self.swift_name = camel(self.name)
        label, self.type = fields[4][-1], fields[5][-1]
        self.is_repeated, self.type_name, self.default = label == 3, text(fields, 6), text(fields, 7)
        what = message.full_name + "." + self.name
        if self.type not in SCALARS and self.type not in (MESSAGE, ENUM):
            refuse(what + " has a type that isn't supported")
        if label == 2 or self.is_repeated and self.type == ENUM or 17 in fields:
            refuse(what + " is required, a repeated enumeration, or optional in proto3")
        is_packable = self.is_repeated and self.type not in (9, 12, MESSAGE)
        if 2 in parse(fields.get(8, [b""])[-1]) or is_packable and not message.file.is_proto3:
            refuse(what + " isn't packed as proto3 does it")

    @property
    def knows_presence(self):
        return not self.is_repeated and (self.type == MESSAGE or not self.message.file.is_proto3)


# MARK: Swift


def camel(name):
    """A name in Swift: words joined by capitals, and some abbreviations in capitals alone, unless they come first."""
    words = re.findall("[0-9]+|[A-Z]*[a-z]+|[A-Z]+", name)
    capitals = ("id", "url", "http", "https")
    rest = [word.upper() if word.lower() in capitals else word.lower().capitalize() for word in words[1:]]
    return "".join([words[0].lower()] + rest)


def string(value):
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Writer:
    def __init__(self, file, declarations):
        self.file, self.access, self.declarations = file, file.access, declarations
        self.lines, self.depth = [], 0

    def put(self, *lines):
        self.lines += ["    " * self.depth + line if line else "" for line in lines]

    def open(self, line):
        self.put(line)
        self.depth += 1

    def close(self):
        self.depth -= 1
        self.put("}")

    def comment(self, path, otherwise):
        """The schema's comment; without one, a declaration of the interface gets another one."""
        lines = self.file.comments.get(path, [""])[0].strip().splitlines() or [otherwise] * bool(self.access)
        self.put(*[("/// " + line.strip()).rstrip() for line in lines])

    def write(self):
        file = self.file
        self.put("// swift-format-ignore-file", "// Made by Shared/Formats/generate.py from %s: change that." % file.name)
        # What stands in front of `syntax`, which is field 12.
        for part in (file.comments.get((12,), [""])[::-1]):
            if part.strip():
                self.put("//", *[("// " + line.strip()).rstrip() for line in part.strip().splitlines()])
        self.put("")
        fields = [field for message in every_message(file) for field in message.fields]
        if any(field.type == 12 for field in fields):
            self.put(self.access + "import FoundationEssentials")
        self.put(self.access + "import SwiftProtobuf")
        for enum in file.enums:
            self.enum(enum)
        for message in file.messages:
            self.message_declaration(message)
        return "\n".join(self.lines) + "\n"

    def enum(self, enum):
        access = self.access
        self.put("")
        self.comment(enum.path, "The enumeration `%s`." % enum.name)
        is_open = self.file.is_proto3
        self.open("%senum %s: %sEnum {" % (access, enum.own_name, "" if is_open else "Int, "))
        for number, name, swift_name, path in enum.values:
            self.comment(path, "`%s`" % name)
            self.put("case " + swift_name + ("" if is_open else " = %d" % number))
        if is_open:
            if access:
                self.put("/// A number that the schema doesn't know.")
            self.put("case UNRECOGNIZED(Int)")
        self.put("")
        if access:
            self.put("/// The first value.")
        self.put("%sinit() { self = .%s }" % (access, enum.values[0][2]))
        if is_open:
            if access:
                self.put("/// The value with a number.")
            self.open("%sinit?(rawValue: Int) {" % access)
            self.put("switch rawValue {")
            self.put(*["case %d: self = .%s" % (number, swift_name) for number, _, swift_name, _ in enum.values])
            self.put("default: self = .UNRECOGNIZED(rawValue)", "}")
            self.close()
            if access:
                self.put("/// The number.")
            self.open("%svar rawValue: Int {" % access)
            self.put("switch self {")
            self.put(*["case .%s: %d" % (swift_name, number) for number, _, swift_name, _ in enum.values])
            self.put("case .UNRECOGNIZED(let number): number", "}")
            self.close()
        if access:
            self.put("/// See ``Enum``.")
        self.open("%sstatic let names = [" % access)
        self.put(*["%d: %s," % (number, string(name)) for number, name, _, _ in enum.values])
        self.depth -= 1
        self.put("]")
        self.close()

    def message_declaration(self, message):
        access = self.access
        self.put("")
        self.comment(message.path, "The message `%s`." % message.name)
        self.open("%sstruct %s: Message {" % (access, message.own_name))
        for field in message.fields:
            self.property(message, field)
        if access:
            self.put("/// Fields that the schema doesn't have.")
        self.put(access + "var unknownFields = UnknownStorage()", "")
        if access:
            self.put("/// Without fields.", "package init() {}", "", "/// See ``Message``.")
        head = "%sstatic let fields = FieldTable(%s, \\Self.unknownFields, [" % (access, string(message.full_name[1:]))
        lines = [
            "Field(%s%d, %s, \\Self.%s)," % (FORMS.get(f.type, ""), f.number, string(f.name), "_" * f.knows_presence + f.swift_name)
            for f in message.fields
        ]
        if lines:
            self.open(head)
            self.put(*lines)
            self.depth -= 1
            self.put("])")
        else:
            self.put(head + "])")
        for enum in message.enums:
            self.enum(enum)
        for nested in message.messages:
            if not nested.is_map_entry:
                self.message_declaration(nested)
        self.close()

    def property(self, message, field):
        access, name, kind = self.access, field.swift_name, self.type(field)
        self.comment(field.path, "`%s`" % field.name)
        if not field.knows_presence:
            self.put("%svar %s: %s = %s" % (access, name, kind, self.zero(field)))
            return
        default = self.default(field)
        if default is None:
            self.put("@Presence %svar %s: %s" % (access, name, kind))
        else:
            self.open("%svar %s: %s {" % (access, name, kind))
            self.put("get { _%s.value ?? %s }" % (name, default), "set { _%s.value = newValue }" % name)
            self.close()
            self.put("private var _%s = Presence<%s>()" % (name, kind))
        upper = name[0].upper() + name[1:]
        if access:
            self.put("/// Whether ``%s`` is set." % name)
        self.put("%svar has%s: Bool { _%s.value != nil }" % (access, upper, name))
        if field.type != MESSAGE:
            if access:
                self.put("/// Makes ``%s`` a field that isn't set." % name)
            self.put("%smutating func clear%s() { _%s.value = nil }" % (access, upper, name))

    def element(self, field):
        return SCALARS[field.type][1] if field.type in SCALARS else self.declarations[field.type_name].swift_name

    def entry(self, field):
        """The type of a map's values; None if the field isn't a map."""
        message = self.declarations.get(field.type_name)
        if field.type != MESSAGE or not message.is_map_entry:
            return None
        key, value = message.fields
        if key.type != 5 or value.type not in SCALARS or value.type in FORMS:
            refuse(message.full_name + " is a map of types that aren't supported")
        return self.element(value)

    def type(self, field):
        if self.entry(field):
            return "[Int32: %s]" % self.entry(field)
        return "[%s]" % self.element(field) if field.is_repeated else self.element(field)

    def zero(self, field):
        if field.is_repeated:
            return "[:]" if self.entry(field) else "[]"
        return SCALARS[field.type][2] if field.type in SCALARS else "." + self.declarations[field.type_name].values[0][2]

    def default(self, field):
        """The value of a field that isn't set; None if it is the usual one."""
        if not field.default:
            return None
        if field.type == ENUM:
            values = self.declarations[field.type_name].values
            index = [name for _, name, _, _ in values].index(field.default)
            return "." + values[index][2] if index else None
        if field.type not in (3, 4, 5, 6, 13, 17):
            refuse(field.name + " has a default that isn't supported")
        return field.default


# MARK: All schemas


def every_message(declaration):
    for message in declaration.messages:
        yield message
        yield from every_message(message)


def modules():
    folders = [name for name in os.listdir(FORMATS) if os.path.isdir(os.path.join(FORMATS, name, "Protobuf", "protos"))]
    return sorted(folders)


def generate(module):
    """The module's generated files, by their names."""
    protos = os.path.join(FORMATS, module, "Protobuf", "protos")
    names = sorted(name for name in os.listdir(protos) if name.endswith(".proto"))
    with tempfile.NamedTemporaryFile() as result:
        command = ["protoc", "--proto_path=" + protos, "--include_source_info", "--descriptor_set_out=" + result.name]
        try:
            status = subprocess.run(command + names).returncode
        except FileNotFoundError:
            refuse("protoc is missing; Debian has it in protobuf-compiler")
        if status:
            refuse("protoc refuses a schema of " + module)
        files = [File(data) for data in parse(result.read()).get(1, [])]
    declarations = {}
    for file in files:
        messages = list(every_message(file))
        for declaration in messages + file.enums + [enum for message in messages for enum in message.enums]:
            declarations[declaration.full_name] = declaration
    return {file.name.removesuffix(".proto") + ".pb.swift": Writer(file, declarations).write() for file in files}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="writes nothing, and fails if a file isn't what would be written")
    check = parser.parse_args().check
    stale = []
    for module in modules():
        folder = os.path.join(FORMATS, module, "Protobuf", "Generated")
        wanted = generate(module)
        os.makedirs(folder, exist_ok=True)
        found = {name: read(os.path.join(folder, name)) for name in os.listdir(folder)}
        for name in sorted(wanted.keys() | found.keys()):
            path = os.path.join(folder, name)
            if wanted.get(name) == found.get(name):
                continue
            stale.append(os.path.relpath(path))
            if check:
                continue
            if name not in wanted:
                os.remove(path)
                continue
            with open(path, "w", encoding="utf-8") as file:
                file.write(wanted[name])
    if check and stale:
        refuse("not what the schemas say: %s; run Shared/Formats/generate.py" % ", ".join(stale))


main()
