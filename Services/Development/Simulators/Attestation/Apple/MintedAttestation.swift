package import AppAttest

/// The parts of an attestation. Tests exchange them.
package struct MintedAttestation: Sendable {
    /// The format's name.
    package var format = "apple-appattest"
    /// The leaf's, then the intermediate one.
    package var certificates: [[UInt8]]
    /// Of Apple's estimate of fraud.
    package var receipt: [UInt8]
    /// What the leaf's nonce covers.
    package var authenticatorData: [UInt8]

    /// The parts in Apple's order.
    package var item: CBORItem {
        .map([
            (.text("fmt"), .text(format)),
            (
                .text("attStmt"),
                .map([
                    (.text("x5c"), .array(certificates.map { .bytes($0) })), (.text("receipt"), .bytes(receipt)),
                ])
            ),
            (.text("authData"), .bytes(authenticatorData)),
        ])
    }

    /// What an app sends.
    package var bytes: [UInt8] { item.encoded }
}
