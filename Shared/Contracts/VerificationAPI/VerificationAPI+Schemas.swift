import Credentials
package import HTTPContract
package import HTTPTypes

// The messages' schemas, for the documents of the listeners. Golden files keep these schemas and the messages' coding in
// agreement.

extension JSONSchema {
    /// A registration token or a TAN: a lower-case UUID version 4.
    static let identifier = text(
        pattern: "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", count: 36...36,
        examples: ["63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f"])
    /// A hash in hexadecimal digits of either case.
    static let hash = text(
        pattern: "[0-9a-fA-F]{64}", count: 64...64,
        examples: ["cdc274c49e7f9bac6b64445e30fb2ff90bb14b9c44ffe5c90332d06cbc0a45e4"])
    /// The variant of a result's id for a date of birth.
    static let resultID = text(
        pattern: "[xX0-9a-fA-F][0-9a-fA-F]{63}", count: 64...64,
        examples: ["xdc274c49e7f9bac6b64445e30fb2ff90bb14b9c44ffe5c90332d06cbc0a45e4"])
    /// For the check character, the schema only lists the possible ones.
    static let teleTAN = text(
        pattern: "[\(String(TeleTAN.alphabet))]{\(TeleTAN.randomCharacters)}[2-9A-H]", count: 10...10,
        examples: ["FE9A5MAK6C"])
    /// The result codes that apps know.
    static let resultForApps = integer(in: 0...9)
    /// Seconds since the epoch.
    static let seconds = integer(in: Int(Int32.min)...Int(Int32.max))
    /// The laboratory's name for itself.
    static let labID = text(count: 0...64)
    /// See `IdempotencyKey`.
    static let idempotencyKey = text(pattern: #"([A-Za-z0-9+/=_-]{22,64}|"[A-Za-z0-9+/=_-]{22,64}")"#)

    /// The entries of one call of `reservations` or `confirmations`.
    static func entries(_ entry: JSONSchema) -> JSONSchema {
        array(of: entry, count: 1...VerificationAPI.maximumEntries)
    }
}

extension FakeableMessage {
    /// Only `1` has a meaning; any other text counts as missing.
    static var fakeSchema: FieldSchema { .optional(.text(examples: ["0", "1"])) }

    package static var fieldSchemas: [HTTPField.Name: FieldSchema] { [.cwaFake: fakeSchema] }
}

extension RegistrationTokenRequest {
    package static var schema: JSONSchema {
        .any(
            of: .object(
                ["keyType": .constant("GUID"), "key": .hash],
                optional: ["keyDob": .resultID, "requestPadding": .ignored]),
            .object(
                ["keyType": .constant("TELETAN"), "key": .teleTAN],
                optional: ["keyDob": .ignored, "requestPadding": .ignored]))
    }

    package static var fieldSchemas: [HTTPField.Name: FieldSchema] {
        [.cwaFake: fakeSchema, .idempotencyKey: .optional(.idempotencyKey)]
    }
}

extension RegistrationTokenResponse {
    package static var schema: JSONSchema { .object(["registrationToken": .identifier]) }

    package static var fieldSchemas: [HTTPField.Name: FieldSchema] {
        [.teleTANsStrained: .optional(.text(examples: ["0", "1"]))]
    }
}

extension RegisteredTestRequest {
    package static var schema: JSONSchema {
        .object(["registrationToken": .identifier], optional: ["requestPadding": .ignored])
    }
}

extension TestResultResponse {
    package static var schema: JSONSchema {
        .object(["testResult": .resultForApps, "sc": .seconds], optional: ["labId": .labID])
    }
}

extension TANResponse {
    package static var schema: JSONSchema { .object(["tan": .identifier]) }
}

extension TANReservations {
    package static var schema: JSONSchema {
        .object([
            "reservations": .entries(
                .object(["tan": .identifier, "tag": .hash, "purpose": .name(of: UploadPurpose.self)]))
        ])
    }
}

extension TANConfirmations {
    package static var schema: JSONSchema {
        .object(["confirmations": .entries(.object(["tan": .identifier, "tag": .hash]))])
    }
}

extension TANOutcomes {
    package static var schema: JSONSchema {
        .object(
            ["outcomes": .entries(.name(of: Outcome.self))],
            optional: [
                "confirmed": .array(
                    of: .integer(in: 0...VerificationAPI.maximumEntries - 1), count: 0...VerificationAPI.maximumEntries)
            ])
    }
}

extension TeleTANRequest {
    package static var fieldSchemas: [HTTPField.Name: FieldSchema] {
        [
            .authorization: .required(.text()), .teleTANType: .optional(.name(of: TeleTANKind.self)),
            .idempotencyKey: .optional(.idempotencyKey),
        ]
    }
}

extension TeleTANResponse {
    package static var schema: JSONSchema {
        .object([
            "value": .teleTAN, "validUntil": .integer(in: 0...253_402_300_799),
            "remaining": .integer(in: 0...1_000_000),
        ])
    }
}

extension TeleTANState {
    package static var schema: JSONSchema { .object(["areAccepted": .boolean]) }
}

extension TANVerification {
    package static var schema: JSONSchema { .object(["tan": .identifier]) }

    package static var fieldSchemas: [HTTPField.Name: FieldSchema] {
        [.idempotencyKey: .optional(.idempotencyKey)]
    }
}

extension VerifiedTAN {
    package static var fieldSchemas: [HTTPField.Name: FieldSchema] {
        [.teleTANType: .optional(.name(of: TeleTANKind.self))]
    }
}

extension CertificateResultRequest {
    package static var schema: JSONSchema { .object(["registrationToken": .identifier]) }
}

extension CertificateResultResponse {
    package static var schema: JSONSchema {
        .object(["testResult": .resultForApps, "sc": .seconds, "testId": .hash], optional: ["labId": .labID])
    }
}
