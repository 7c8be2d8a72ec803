/// A country as the gateway writes it: two capital letters (ISO 3166-1 alpha-2). Which letters a country has isn't
/// checked.
package struct CountryCode: Hashable, Comparable, Sendable, BitwiseCopyable, CustomStringConvertible {
    private let first: UInt8
    private let second: UInt8

    /// Nil unless the text is two capital letters of ASCII.
    package init?(_ text: some StringProtocol) {
        var letters = text.utf8.makeIterator()
        guard let first = letters.next(), let second = letters.next(), letters.next() == nil,
            Self.letters.contains(first), Self.letters.contains(second)
        else { return nil }
        self.first = first
        self.second = second
    }

    /// Nil unless these are two capital letters of ASCII.
    init?(_ first: UInt8, _ second: UInt8) {
        guard Self.letters.contains(first), Self.letters.contains(second) else { return nil }
        self.first = first
        self.second = second
    }

    private static let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")

    /// The two letters.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
    package var description: String { text }

    /// The two letters in ASCII.
    var bytes: [UInt8] { [first, second] }

    /// Calls `body` with the two letters in place, without an array.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try Swift.withUnsafeBytes(of: (first, second), body)
    }

    package static func < (left: CountryCode, right: CountryCode) -> Bool {
        (left.first, left.second) < (right.first, right.second)
    }
}
