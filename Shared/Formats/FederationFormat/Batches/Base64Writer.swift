/// Writes Base64 (RFC 4648, section 4, with padding) into memory that has room for it: a batch has 40,000 parts.
struct Base64Writer {
    private let room: UnsafeMutableBufferPointer<UInt8>
    /// How many letters are written.
    private(set) var count = 0
    private let pairs = Self.pairs

    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// The two letters of each twelve bits, the first one in the upper byte. Nothing changes or frees them: to count an array's users
    /// would take longer than to write a part.
    nonisolated(unsafe) static let pairs: UnsafeBufferPointer<UInt16> = {
        let pairs = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: 4096)
        for bits in 0..<4096 {
            pairs.initializeElement(at: bits, to: UInt16(letters[bits >> 6]) << 8 | UInt16(letters[bits & 0x3F]))
        }
        return UnsafeBufferPointer(pairs)
    }()

    /// How many letters so many bytes have.
    static func letters(of bytes: Int) -> Int { (bytes + 2) / 3 * 4 }

    init(_ room: UnsafeMutableBufferPointer<UInt8>) { self.room = room }

    /// Writes bytes as a text of their own.
    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        var place = 0
        while place + 3 <= bytes.count {
            write(Int(bytes[place]) << 16 | Int(bytes[place + 1]) << 8 | Int(bytes[place + 2]))
            place += 3
        }
        guard place < bytes.count else { return }
        let second = place + 1 < bytes.count ? Int(bytes[place + 1]) : nil
        write(Int(bytes[place]) << 16 | (second ?? 0) << 8)
        room[count - 1] = Self.padding
        if second == nil { room[count - 2] = Self.padding }
    }

    /// Writes a number's four bytes, big-endian, as a text of their own.
    mutating func write(_ number: UInt32) {
        write(Int(number >> 8))
        write(Int(number & 0xFF) << 16)
        room[count - 2] = Self.padding
        room[count - 1] = Self.padding
    }

    /// Behind a text; no letter of Base64.
    mutating func writeStop() {
        room[count] = UInt8(ascii: ".")
        count += 1
    }

    /// What is in Base64 already.
    mutating func copy(_ text: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[count...]).copyMemory(from: text)
        count += text.count
    }

    /// The letters of 24 bits.
    private mutating func write(_ group: Int) {
        let (first, second) = (pairs[group >> 12], pairs[group & 0xFFF])
        room[count] = UInt8(truncatingIfNeeded: first >> 8)
        room[count + 1] = UInt8(truncatingIfNeeded: first)
        room[count + 2] = UInt8(truncatingIfNeeded: second >> 8)
        room[count + 3] = UInt8(truncatingIfNeeded: second)
        count += 4
    }
}
