package import AppAttest

/// What a device says of an app and of a key (WebAuthn level 2, section 6.1).
package struct AuthenticatorDataTemplate: Sendable {
    /// SHA-256 of the App ID.
    package var appHash: [UInt8]
    /// That of attested data is always set, that of extensions only sometimes.
    package var flags: UInt8 = 0x40
    /// How often the key signed.
    package var counter: UInt32
    /// The environment; empty in assertions.
    package var authenticatorID: [UInt8] = []
    /// The key's name; nil in assertions.
    package var credentialID: [UInt8]?
    /// A key for ES256 (RFC 9053); empty in assertions.
    package var publicKey: [UInt8] = []
    /// What iOS 27 adds: see ``extensions(bundleVersion:category:)``.
    package var extensions: [UInt8] = []

    /// An assertion's.
    package init(app: AppID, counter: UInt32) {
        appHash = app.hash
        self.counter = counter
    }

    /// In the order of the properties, with the length of the key's name before it.
    package var bytes: [UInt8] {
        var bytes = appHash + [flags]
        bytes += (0..<4).reversed().map { UInt8(truncatingIfNeeded: counter >> (8 * UInt32($0))) }
        bytes += authenticatorID
        if let credentialID { bytes += [0, UInt8(truncatingIfNeeded: credentialID.count)] + credentialID }
        return bytes + publicKey + extensions
    }

    /// A key as authenticators write it, in its only form.
    package static func coseKey(of key: AppAttestPublicKey) -> CBORItem {
        let coordinates = key.x963.dropFirst()
        return .map([
            (.unsigned(1), .unsigned(2)), (.unsigned(3), .negative(6)), (.negative(0), .unsigned(1)),
            (.negative(1), .bytes(Array(coordinates.prefix(32)))),
            (.negative(2), .bytes(Array(coordinates.suffix(32)))),
        ])
    }

    /// What iOS 27 adds, as Apple's sample has it.
    package static func extensions(bundleVersion: String, category: ValidationCategory) -> CBORItem {
        .map([
            (.text("apple_bundle_version_01"), .text(bundleVersion)),
            (
                .text("apple_validation_category_01"),
                .bytes((0..<4).map { UInt8(truncatingIfNeeded: category.rawValue >> (8 * UInt32($0))) })
            ),
        ])
    }
}
