/// The names and values of a query or of a form body (`application/x-www-form-urlencoded`, WHATWG URL, section 5).
///
/// Reading is stricter than the standard: names must be unique, and decoded text must be UTF-8 without control characters.
package struct URLEncodedValues: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    private var values: [String: String]

    /// Creates values from unencoded text.
    package init(_ values: [String: String] = [:]) {
        self.values = values
    }

    /// Creates values from unencoded text; names must be unique.
    package init(dictionaryLiteral elements: (String, String)...) {
        self.init(Dictionary(uniqueKeysWithValues: elements))
    }

    /// Reads a query, without its `?`, or a form body.
    ///
    /// - Parameter multiline: the names whose values may have several lines.
    /// - Throws: ``MalformedMessage`` for a duplicate or empty name, and for invalid encoding.
    package init(
        decoding text: some StringProtocol, multiline: Set<String> = []
    ) throws(MalformedMessage) {
        values = [:]
        guard !text.isEmpty else { return }
        for pair in text.split(separator: "&", omittingEmptySubsequences: false) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try PercentEncoding.decode(parts[0], plusIsSpace: true)
            let value =
                parts.count == 2
                ? try PercentEncoding.decode(parts[1], plusIsSpace: true, allowsLines: multiline.contains(name)) : ""
            guard !name.isEmpty, values.updateValue(value, forKey: name) == nil else { throw MalformedMessage() }
        }
    }

    /// The value of a name; nil if it is missing.
    package subscript(name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// The names that have a value.
    package var names: Set<String> { Set(values.keys) }

    /// The encoded form, which is deterministic: names are sorted.
    package var encoded: String {
        values.sorted { $0.key < $1.key }
            .map { "\(PercentEncoding.encode($0.key))=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    }
}
