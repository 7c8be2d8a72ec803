/// Base64 (RFC 4648, section 4, with padding) right behind other text, without an array for each part: a batch has
/// 40,000 parts.
struct Base64Appender: ~Copyable {
    private var group: UInt32 = 0
    private var held = 0

    static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    static let padding = UInt8(ascii: "=")

    mutating func append(_ byte: UInt8, to text: inout [UInt8]) {
        group = group << 8 | UInt32(byte)
        held += 1
        guard held == 3 else { return }
        Self.write(group, letters: 4, to: &text)
        group = 0
        held = 0
    }

    mutating func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
        for byte in bytes { append(byte, to: &text) }
    }

    /// The last letters and the padding; it can be used again.
    mutating func finish(_ text: inout [UInt8]) {
        if held > 0 {
            Self.write(group << (8 * UInt32(3 - held)), letters: held + 1, to: &text)
            for _ in held..<3 { text.append(Self.padding) }
        }
        group = 0
        held = 0
    }

    /// The Base64 text of up to three bytes of some.
    static func group(of bytes: ArraySlice<UInt8>, at start: Int) -> [UInt8] {
        var appender = Base64Appender()
        var text: [UInt8] = []
        appender.append(bytes[start..<min(start + 3, bytes.endIndex)], to: &text)
        appender.finish(&text)
        return text
    }

    private static func write(_ group: UInt32, letters count: Int, to text: inout [UInt8]) {
        let letters = Self.letters
        for place in 0..<UInt32(count) { text.append(letters[Int(group >> (18 - 6 * place) & 0x3F)]) }
    }
}
