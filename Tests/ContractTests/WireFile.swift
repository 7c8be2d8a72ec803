import Foundation
import HTTPContract
import HTTPTypes

/// A message as it goes over the wire: a first line, header fields, an empty line, the body.
struct WireFile: Equatable {
    /// Method and path of a request, or the status of an answer.
    let start: String
    let fields: HTTPFields
    let body: Data

    /// A file in `Fixtures/`.
    init(_ name: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
        let bytes = try Data(contentsOf: folder.appending(path: name))
        guard let end = bytes.firstRange(of: Data("\n\n".utf8)) else { throw Damaged() }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        start = String(lines[0])
        var fields = HTTPFields()
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard let name = HTTPField.Name(String(parts[0])) else { throw Damaged() }
            fields.append(HTTPField(name: name, value: parts.last.map { $0.drop { $0 == " " } }.map(String.init) ?? ""))
        }
        self.fields = fields
        body = Data(bytes[end.upperBound...])
    }

    /// What a program sends for a message.
    init(start: String, message: some WireMessage) throws {
        let encoded = try message.encoded()
        var fields = encoded.fields
        if let media = type(of: message).mediaType { fields[.contentType] = media.name }
        self.start = start
        self.fields = fields
        body = encoded.body
    }

    struct Damaged: Error {}

    /// Reads the message as a service does: it sees the fields of its contract only.
    /// - Parameter other: in the place of the body.
    func read<Message: WireMessage>(
        _ type: Message.Type, fields names: [HTTPField.Name], body other: Data? = nil
    ) throws -> Message {
        var known = HTTPFields()
        for name in names {
            if let value = fields[name] { known[name] = value }
        }
        return try Message(fields: known, body: other ?? body)
    }

    /// Fields in any order, names in any case.
    static func == (left: WireFile, right: WireFile) -> Bool {
        func sorted(_ fields: HTTPFields) -> [[String]] {
            fields.map { [$0.name.canonicalName, $0.value] }.sorted { $0.lexicographicallyPrecedes($1) }
        }
        return left.start == right.start && left.body == right.body && sorted(left.fields) == sorted(right.fields)
    }
}

extension WireFile: CustomStringConvertible {
    var description: String {
        "\(start)\n" + fields.map { "\($0.name.rawName): \($0.value)\n" }.joined() + "\n"
            + String(decoding: body, as: UTF8.self)
    }
}
