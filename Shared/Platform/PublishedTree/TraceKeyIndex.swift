/// Which file has all trace keys since a tag: a JSON array of tags in milliseconds, ascending. The last is the newest tag, whose file has
/// no key; before it there is one for each two hours that brought keys.
///
/// So the number of files depends on how often keys came, not on how many tags phones may have: the keys since a tag are those since
/// the next tag that has a file.
package struct TraceKeyIndex: Hashable, Sendable {
    /// Ascending, not empty.
    package let tags: [TraceKeyTag]

    /// The index's place. Its files are below.
    package static let key = TreeKey("version/v1/trace-keys")

    /// Nil for no tag; their order and repetitions have no effect.
    package init?(_ tags: some Sequence<TraceKeyTag>) {
        self.tags = Set(tags).sorted()
        guard !self.tags.isEmpty else { return nil }
    }

    /// Reads the index; nil if it isn't one.
    package init?(_ bytes: some Sequence<UInt8>) {
        let text = String(decoding: Array(bytes), as: UTF8.self)
        guard text.first == "[", text.last == "]", text.utf8.count > 2 else { return nil }
        let names = text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false)
        let tags = names.compactMap { TraceKeyTag($0) }
        guard tags.count == names.count, tags == Set(tags).sorted() else { return nil }
        self.tags = tags
    }

    /// The index as it is published.
    package var bytes: [UInt8] { Array("[\(tags.map(\.text).joined(separator: ","))]".utf8) }

    /// The file that has the keys since a tag; without a tag, all.
    /// - Returns: nil for a tag that hasn't been given out.
    package func file(since tag: TraceKeyTag?, _ form: TraceKeyForm) -> TreeKey? {
        guard let tag else { return Self.file(tags[0], form) }
        return tags.first { $0 >= tag }.map { Self.file($0, form) }
    }

    /// The place of the keys since a tag.
    package static func file(_ tag: TraceKeyTag, _ form: TraceKeyForm) -> TreeKey {
        key / "\(tag.text).\(form.rawValue)"
    }
}

/// An instant up to which a phone knows all trace keys: a multiple of two hours.
package struct TraceKeyTag: Hashable, Comparable, Sendable {
    /// Steps of two hours since 1970.
    package let number: Int64

    /// The length of a step, in seconds.
    package static let seconds: Int64 = 7_200

    /// The tag of a step that begins.
    package init(number: Int64) { self.number = number }

    /// Reads milliseconds since 1970; nil for text that isn't the whole number of an instant at which a step begins.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 16, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let milliseconds = Int64(text), milliseconds.isMultiple(of: Self.seconds * 1000),
            text.count == 1 || text.first != "0"
        else { return nil }
        number = milliseconds / (Self.seconds * 1000)
    }

    /// Milliseconds since 1970.
    package var text: String { "\(number * Self.seconds * 1000)" }

    package static func < (left: TraceKeyTag, right: TraceKeyTag) -> Bool { left.number < right.number }
}

/// A form of lists of trace keys; the raw value is the ending of a file's name.
package enum TraceKeyForm: String, Hashable, Sendable, CaseIterable {
    /// An array in JSON.
    case json
    /// A `ProblematicEventWrapper`.
    case protobuf = "pb"

    /// The form that a header field `Accept` asks for: JSON, unless it names Protocol Buffers.
    package init(accept: String?) {
        let names = (accept ?? "").lowercased().split(separator: ",").map { type in
            type.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
        }
        let isProtobuf = names.contains { $0 == "application/x-protobuf" || $0 == "application/protobuf" }
        self = isProtobuf ? .protobuf : .json
    }
}
