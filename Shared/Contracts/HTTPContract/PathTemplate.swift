/// A path whose segments are fixed or parameters, such as `/batches/{date}/{tag}`.
package struct PathTemplate: Hashable, Sendable {
    private enum Segment: Hashable {
        case fixed(Substring)
        case parameter(String)
    }

    private let segments: [Segment]

    /// Reads a template: a segment in braces is a parameter, any other is fixed.
    package init(_ text: String) {
        segments = text.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            segment.first == "{" && segment.last == "}"
                ? .parameter(String(segment.dropFirst().dropLast())) : .fixed(segment)
        }
    }

    /// The names of the parameters, in order.
    package var parameters: [String] {
        segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// Whether a path, as sent and without its query, has this form.
    ///
    /// Nothing is decoded, so an encoded slash doesn't end a segment.
    package func matches(_ path: some StringProtocol) -> Bool {
        let sent = path.split(separator: "/", omittingEmptySubsequences: false)
        return sent.count == segments.count
            && zip(segments, sent).allSatisfy { segment, text in
                switch segment {
                case .fixed(let fixed): fixed == text
                case .parameter: !text.isEmpty
                }
            }
    }

    /// The values of the parameters in a path that ``matches(_:)``.
    ///
    /// - Throws: ``MalformedMessage`` for invalid encoding, for a value with a slash, and for `.` and `..`, which
    ///   intermediaries may have resolved.
    package func values(in path: some StringProtocol) throws(MalformedMessage) -> [String: String] {
        var values: [String: String] = [:]
        for (segment, text) in zip(segments, path.split(separator: "/", omittingEmptySubsequences: false)) {
            guard case .parameter(let name) = segment else { continue }
            let value = try PercentEncoding.decode(text, plusIsSpace: false)
            guard value != ".", value != "..", !value.contains("/") else { throw MalformedMessage() }
            values[name] = value
        }
        return values
    }

    /// The path with values in place of the parameters; a missing value leaves its segment empty.
    package func path(with values: URLEncodedValues) -> String {
        segments.map { segment in
            switch segment {
            case .fixed(let text): String(text)
            case .parameter(let name): PercentEncoding.encode(values[name] ?? "")
            }
        }.joined(separator: "/")
    }
}
