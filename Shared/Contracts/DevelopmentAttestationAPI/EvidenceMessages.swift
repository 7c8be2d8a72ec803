package import HTTPContract

/// Asks for a key.
package struct AppAttestKeyQuery: JSONMessage, Equatable {
    /// Team and bundle identifier of the app that asks.
    package let appID: String

    /// A query of one app.
    package init(appID: String) { self.appID = appID }

    package static var schema: JSONSchema { .object(["appID": .text(count: 1...200)]) }
}

/// A new key.
package struct AppAttestKeyAnswer: JSONMessage, Equatable {
    /// Its name, 32 bytes in Base64.
    package let keyID: String

    /// An answer with a key's name.
    package init(keyID: String) { self.keyID = keyID }

    package static var schema: JSONSchema { .object(["keyID": .text(count: 44...44)]) }
}

/// A key that Apple shall attest.
package struct AttestationQuery: JSONMessage, Equatable {
    /// Its name.
    package let keyID: String
    /// In Base64, 32 bytes.
    package let clientDataHash: String
    /// Which of Apple's two services attests.
    package let environment: Environment

    /// Apple's two services.
    package enum Environment: String, Codable, Sendable, CaseIterable {
        /// For apps of the App Store.
        case production
        /// For apps that developers install.
        case development
    }

    /// See the properties.
    package init(keyID: String, clientDataHash: String, environment: Environment) {
        self.keyID = keyID
        self.clientDataHash = clientDataHash
        self.environment = environment
    }

    package static var schema: JSONSchema {
        .object([
            "keyID": .text(count: 44...44), "clientDataHash": .text(count: 44...44),
            "environment": .name(of: Environment.self),
        ])
    }
}

/// What Apple says of a key.
package struct AttestationAnswer: JSONMessage, Equatable {
    /// The attestation object, in Base64.
    package let attestation: String

    /// An answer with an attestation object.
    package init(attestation: String) { self.attestation = attestation }

    package static var schema: JSONSchema { .object(["attestation": .text(count: 1...32_768)]) }
}

/// What a key shall sign.
package struct AssertionQuery: JSONMessage, Equatable {
    /// Its name.
    package let keyID: String
    /// In Base64, 32 bytes.
    package let clientDataHash: String

    /// See the properties.
    package init(keyID: String, clientDataHash: String) {
        self.keyID = keyID
        self.clientDataHash = clientDataHash
    }

    package static var schema: JSONSchema {
        .object(["keyID": .text(count: 44...44), "clientDataHash": .text(count: 44...44)])
    }
}

/// What a key signed.
package struct AssertionAnswer: JSONMessage, Equatable {
    /// The assertion, in Base64.
    package let assertion: String

    /// An answer with an assertion.
    package init(assertion: String) { self.assertion = assertion }

    package static var schema: JSONSchema { .object(["assertion": .text(count: 1...2048)]) }
}

/// A token for an app.
package struct EvidenceAnswer: JSONMessage, Equatable {
    /// As the app sends it.
    package let token: String

    /// An answer with a token.
    package init(token: String) { self.token = token }

    package static var schema: JSONSchema { .object(["token": .text(count: 1...32_768)]) }
}

/// What Google shall say of an app and its device.
package struct IntegrityTokenQuery: JSONMessage, Equatable {
    /// Of a classic request.
    package let nonce: String?
    /// Of a standard request.
    package let requestHash: String?
    /// The app.
    package let packageName: String
    /// SHA-256 of its certificates, in Base64url.
    package let certificateDigests: [String]
    /// What isn't as it should be; nil for nothing.
    package let overrides: Overrides?

    /// Each member takes the place of what Google says of a good app on a good device.
    package struct Overrides: Codable, Sendable, Equatable {
        /// `appRecognitionVerdict`. `UNEVALUATED` removes what depends on it, too.
        package let recognition: String?
        /// `deviceRecognitionVerdict`; an empty list removes it.
        package let device: [String]?
        /// `appLicensingVerdict`.
        package let licensing: String?
        /// `isTestingResponse`.
        package let isTest: Bool?
        /// Seconds since the request; negative for a request of the future.
        package let age: Int?

        /// See the properties.
        package init(
            recognition: String? = nil, device: [String]? = nil, licensing: String? = nil, isTest: Bool? = nil,
            age: Int? = nil
        ) {
            self.recognition = recognition
            self.device = device
            self.licensing = licensing
            self.isTest = isTest
            self.age = age
        }
    }

    /// See the properties.
    package init(
        nonce: String? = nil, requestHash: String? = nil, packageName: String, certificateDigests: [String],
        overrides: Overrides? = nil
    ) {
        self.nonce = nonce
        self.requestHash = requestHash
        self.packageName = packageName
        self.certificateDigests = certificateDigests
        self.overrides = overrides
    }

    package static var schema: JSONSchema {
        .object(
            [
                "packageName": .text(count: 1...200),
                "certificateDigests": .array(of: .text(count: 1...100), count: 0...10),
            ],
            optional: [
                "nonce": .text(count: 1...500), "requestHash": .text(count: 1...500),
                "overrides": .object(
                    [:],
                    optional: [
                        "recognition": .text(count: 1...50), "device": .array(of: .text(count: 1...50), count: 0...10),
                        "licensing": .text(count: 1...50), "isTest": .boolean,
                        "age": .integer(in: -31_536_000...31_536_000),
                    ]),
            ])
    }
}
