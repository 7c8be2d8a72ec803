package import FoundationEssentials

extension Data {
    private static let pieces: [[UInt8]] = [
        "null", "{", "}", "[", "]", "\"", ",", ":", "\\", "\\u0000", "\\ud800", "1e999", "-", "0", "true", "\u{0}", "é",
        "\u{1F9EA}", "\"key\":", "-0.0", "9223372036854775808", "x", " ", "=", ".", "\r\n",
        // Characters that Swift's strings treat as K and as a semicolon, and one that combines with the character before it.
        "\u{212A}", "\u{37E}", "\u{301}",
    ].map { Array($0.utf8) }

    /// Changes one place: flips a bit, replaces a byte, inserts a token that parsers act on, removes something, or repeats
    /// something.
    package mutating func mutate(using randomness: inout SeededGenerator) {
        guard !isEmpty else { return append(.random(in: .min ... .max, using: &randomness)) }
        let place = Int.random(in: indices, using: &randomness)
        let end = Swift.min(count, place + Int.random(in: 1...12, using: &randomness))
        switch Int.random(in: 0...6, using: &randomness) {
        case 0: self[place] ^= 1 << UInt8.random(in: 0...7, using: &randomness)
        case 1: self[place] = .random(in: .min ... .max, using: &randomness)
        case 2: insert(contentsOf: Self.pieces.randomElement(using: &randomness) ?? [], at: place)
        case 3: removeSubrange(place..<end)
        case 4: insert(contentsOf: self[place..<end], at: place)
        case 5: removeSubrange(place...)
        default: replaceSubrange(place..<end, with: Self.pieces.randomElement(using: &randomness) ?? [])
        }
    }

    /// A copy with one to four changes.
    package func mutated(using randomness: inout SeededGenerator) -> Data {
        var copy = Data(self)
        for _ in 0...Int.random(in: 0...3, using: &randomness) { copy.mutate(using: &randomness) }
        return copy
    }
}

extension String {
    /// A copy with one to four changes; invalid UTF-8 becomes replacement characters.
    package func mutated(using randomness: inout SeededGenerator) -> String {
        String(decoding: Data(utf8).mutated(using: &randomness), as: UTF8.self)
    }
}
