/// An item of CBOR as App Attest uses it (RFC 8949): integers, bytes, text, arrays and maps.
package indirect enum CBORItem: Sendable {
    /// A number from 0.
    case unsigned(UInt64)
    /// The number -1 - n for n.
    case negative(UInt64)
    /// Bytes.
    case bytes([UInt8])
    /// Text in UTF-8.
    case text(String)
    /// Items in a row.
    case array([CBORItem])
    /// Keys and values in the order in which they are written.
    case map([(key: CBORItem, value: CBORItem)])

    /// How many items at most stand one in another: an attestation's certificates are bytes in an array in a map in a
    /// map.
    package static let deepest = 4

    /// The bytes, nil for anything else.
    var asBytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// The text, nil for anything else.
    var asText: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The items of an array, nil for anything else.
    var asArray: [CBORItem]? {
        if case .array(let items) = self { items } else { nil }
    }

    /// The values of a map with exactly these keys, in their order; nil for anything else.
    func values(_ names: String...) -> [CBORItem]? {
        guard case .map(let pairs) = self, pairs.count == names.count else { return nil }
        let values = names.compactMap { value($0) }
        return values.count == names.count ? values : nil
    }

    /// The value of a map's key, nil if there is none.
    func value(_ name: String) -> CBORItem? {
        guard case .map(let pairs) = self else { return nil }
        return pairs.first { $0.key.says(name) }?.value
    }

    /// Whether it is this text byte for byte: Swift's strings are equal to others that only look alike, too.
    func says(_ text: String) -> Bool {
        asText?.utf8.elementsEqual(text.utf8) ?? false
    }
}
