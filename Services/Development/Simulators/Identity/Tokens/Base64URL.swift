import FoundationEssentials

/// Base 64 for URLs, without padding (RFC 4648, section 5).
enum Base64URL {
    /// The text of some bytes.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(
            Data(bytes).base64EncodedString().compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            })
    }

    /// The bytes of a text; nil for any other alphabet, for padding, and for a second way to write the same bytes.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let padded =
            String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
            + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: padded) else { return nil }
        let bytes = Array(data)
        return self.text(bytes) == String(text) ? bytes : nil
    }

    /// Random bytes as text.
    static func random(bytes count: Int = 32) -> String {
        var generator = SystemRandomNumberGenerator()
        return text((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
