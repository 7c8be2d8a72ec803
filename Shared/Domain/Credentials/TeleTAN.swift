/// The code that a health officer reads out over the telephone: nine random characters and a check character
/// (corona-warn-app/cwa-verification-server: `TanService.java`, `HashingService.java`).
package struct TeleTAN: Hashable, Sendable, CustomStringConvertible {
    /// Ten upper-case characters: the secret as it is read out and sent. It must not be logged.
    package let text: String

    /// 31 characters, without those that are easily mistaken for another (0 1 I L O).
    package static let alphabet = Array("23456789ABCDEFGHJKMNPQRSTUVWXYZ")
    /// Characters before the check character.
    package static let randomCharacters = 9
    /// 31⁹, the number of codes.
    package static let count = (0..<randomCharacters).reduce(UInt64(1)) { count, _ in count * UInt64(alphabet.count) }

    /// A fresh code; about 44.6 bits.
    package init(using randomness: inout some RandomNumberGenerator) {
        self.init(number: UInt64.random(in: 0..<Self.count, using: &randomness))
    }

    /// The code that a keyed hash stands for. Every code is equally likely, to within 2⁻⁸³ of that likelihood.
    package init(_ digest: Digest) {
        let number = digest.bytes.prefix(16).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        self.init(number: UInt64(number % UInt128(Self.count)))
    }

    private init(number: UInt64) {
        var number = number
        var body = ""
        for _ in 0..<Self.randomCharacters {
            let (rest, digit) = number.quotientAndRemainder(dividingBy: UInt64(Self.alphabet.count))
            body.append(Self.alphabet[Int(digit)])
            number = rest
        }
        text = body + String(Self.checkCharacter(of: body))
    }

    /// Nil unless the text has ten characters of the alphabet, of which the tenth is the check character.
    ///
    /// Typing errors are found here, before anything is looked up.
    package init?(_ text: some StringProtocol) {
        let body = String(text.prefix(Self.randomCharacters))
        // Bytes, not characters: the kelvin sign has three bytes, but as a character it equals K.
        guard text.utf8.count == Self.randomCharacters + 1,
            text.utf8.allSatisfy({ Self.alphabet.contains(Character(Unicode.Scalar($0))) }),
            text.last == Self.checkCharacter(of: body)
        else { return nil }
        self.text = String(text)
    }

    /// The first hexadecimal digit of SHA-256 over the nine characters, in upper case; 0 becomes G and 1 becomes H.
    package static func checkCharacter(of body: String) -> Character {
        let digit = Digest(sha256: body.utf8).hex.uppercased().prefix(1)
        return digit == "0" ? "G" : digit == "1" ? "H" : Character(String(digit))
    }

    package var description: String { "redacted" }
}

/// The permission that a teleTAN, and the TAN issued for it, gives.
package enum TeleTANKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// Uploading one's own keys after a positive test.
    case test = "TEST"
    /// Warning the guests of an event on behalf of its organiser.
    case event = "EVENT"
}
