/// The code that a health officer reads out over the telephone: nine random characters and a check character
/// (corona-warn-app/cwa-verification-server: `TanService.java`, `HashingService.java`).
package struct TeleTAN: Hashable, Sendable, CustomStringConvertible {
    /// Ten upper-case characters: the secret as it is read out and sent. It must not be logged.
    package let text: String

    /// 31 characters, without those that are easily mistaken for another (0 1 I L O).
    package static let alphabet = Array("23456789ABCDEFGHJKMNPQRSTUVWXYZ")
    /// Characters before the check character.
    package static let randomCharacters = 9

    /// A fresh code; about 44.6 bits.
    package init(using randomness: inout some RandomNumberGenerator) {
        let body = String(
            (0..<Self.randomCharacters).map { _ in
                Self.alphabet[Int.random(in: Self.alphabet.indices, using: &randomness)]
            })
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
