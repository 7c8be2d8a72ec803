import Crypto
import Foundation

/// What PostgreSQL stores of a password (RFC 5802 and 7677, `SCRAM-SHA-256`).
///
/// Made here, so that the password itself is never part of an SQL statement, which a server may log.
package struct SCRAMVerifier {
    /// As it goes into `ALTER ROLE … PASSWORD`.
    package let text: String

    /// The server's own number. The passwords have 256 random bits, so more would add nothing.
    private static let iterations = 4096

    /// - Parameters:
    ///   - password: ASCII, so that no normalisation is needed.
    ///   - salt: 16 random bytes.
    package init(password: String, salt: [UInt8]) {
        let salted = SymmetricKey(data: Self.stretched(password, salt: salt))
        let storedKey = SHA256.hash(data: Data(Self.hash(Array("Client Key".utf8), salted)))
        let serverKey = Self.hash(Array("Server Key".utf8), salted)
        text =
            "SCRAM-SHA-256$\(Self.iterations):\(Data(salt).base64EncodedString())"
            + "$\(Data(storedKey).base64EncodedString()):\(Data(serverKey).base64EncodedString())"
    }

    /// With a salt from the system's generator.
    package init(password: String) {
        var generator = SystemRandomNumberGenerator()
        self.init(password: password, salt: (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// PBKDF2 with one block.
    private static func stretched(_ password: String, salt: [UInt8]) -> [UInt8] {
        let key = SymmetricKey(data: Array(password.utf8))
        var block = hash(salt + [0, 0, 0, 1], key)
        var result = block
        for _ in 1..<iterations {
            block = hash(block, key)
            for index in result.indices { result[index] ^= block[index] }
        }
        return result
    }

    private static func hash(_ bytes: [UInt8], _ key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
    }
}
