/// The names and values of a query or of a form body (`application/x-www-form-urlencoded`, WHATWG URL, section 5).
///
/// Reading is stricter than the standard: a name stands there once, and what is encoded is UTF-8 without control
/// characters.
package struct URLEncodedValues: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    private var values: [String: String]

    /// Values as they are meant, before any encoding.
    package init(_ values: [String: String] = [:]) {
        self.values = values
    }

    /// Values as they are meant; no name may stand there twice.
    package init(dictionaryLiteral elements: (String, String)...) {
        self.init(Dictionary(uniqueKeysWithValues: elements))
    }

    /// Reads a query, without its `?`, or a form body.
    ///
    /// - Throws: ``MalformedMessage`` for a name that stands there twice or is empty, and for text that isn't encoded as it
    ///   must be.
    package init(decoding text: some StringProtocol) throws(MalformedMessage) {
        values = [:]
        guard !text.isEmpty else { return }
        for pair in text.split(separator: "&", omittingEmptySubsequences: false) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try PercentEncoding.decode(parts[0], plusIsSpace: true)
            let value = parts.count == 2 ? try PercentEncoding.decode(parts[1], plusIsSpace: true) : ""
            guard !name.isEmpty, values.updateValue(value, forKey: name) == nil else { throw MalformedMessage() }
        }
    }

    /// The value of a name; nil if it isn't there.
    package subscript(name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// The names that are there.
    package var names: Set<String> { Set(values.keys) }

    /// As it goes over the wire, the same for the same values: names are sorted.
    package var encoded: String {
        values.sorted { $0.key < $1.key }
            .map { "\(PercentEncoding.encode($0.key))=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    }
}
