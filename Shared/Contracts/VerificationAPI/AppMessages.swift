package import Credentials
package import FoundationEssentials
package import HTTPContract
package import HTTPTypes

/// A JSON message of an app; a header field says whether it is a dummy request (cwa-verification-server,
/// `ExternalFakeRequestController`).
package protocol FakeableMessage: JSONMessage {
    /// True when the field `cwa-fake` was exactly `1`.
    var isFake: Bool { get set }
}

extension FakeableMessage {
    package static var headerNames: [HTTPField.Name] { [.cwaFake] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        do {
            self = try JSONDecoder().decode(Self.self, from: body)
        } catch {
            throw MalformedMessage()
        }
        isFake = fields[.cwaFake] == "1"
    }

    package func encoded() throws -> EncodedMessage {
        EncodedMessage(fields: [.cwaFake: isFake ? "1" : "0"], body: try encodedBody())
    }
}

/// What a phone registers: the hash of the GUID in its QR code, or a teleTAN it was told on the telephone.
package struct RegistrationTokenRequest: FakeableMessage, Equatable {
    /// What entitles to a registration, to one each.
    package enum Proof: Equatable, Sendable {
        /// A test's GUID. Where the lab also posts the result under a hash with the date of birth, the phone may give
        /// that too; then both must name the same result.
        case guid(HashedGUID, birthDate: ResultID? = nil)
        case teleTAN(TeleTAN)
    }

    /// On the wire it is a `key` with its `keyType`, `GUID` or `TELETAN`, and perhaps `keyDob`; another type or shape is
    /// 400.
    package let proof: Proof
    /// From the field `Idempotency-Key`: who repeats a request with the same key is given the same token again. The
    /// published apps send none. A malformed one is 400.
    package var idempotencyKey: IdempotencyKey?
    /// Whether the header field `cwa-fake` was exactly `1`; the body doesn't say it.
    package var isFake = false
    /// Random text that gives all requests of a phone one length; ignored by servers.
    package let requestPadding: String

    /// A request that isn't fake; padding is up to the caller.
    package init(_ proof: Proof, idempotencyKey: IdempotencyKey? = nil, requestPadding: String = "") {
        self.proof = proof
        self.idempotencyKey = idempotencyKey
        self.requestPadding = requestPadding
    }

    package static var headerNames: [HTTPField.Name] { [.cwaFake, .idempotencyKey] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        do {
            self = try JSONDecoder().decode(Self.self, from: body)
        } catch {
            throw MalformedMessage()
        }
        isFake = fields[.cwaFake] == "1"
        if let text = fields[.idempotencyKey] {
            guard let key = IdempotencyKey(text) else { throw MalformedMessage() }
            idempotencyKey = key
        }
    }

    package func encoded() throws -> EncodedMessage {
        var fields: HTTPFields = [.cwaFake: isFake ? "1" : "0"]
        if let idempotencyKey { fields[.idempotencyKey] = "\"\(idempotencyKey.text)\"" }
        return EncodedMessage(fields: fields, body: try encodedBody())
    }

    private enum CodingKeys: String, CodingKey { case key, keyType, keyDob, requestPadding }
    private enum KeyType: String, Codable { case guid = "GUID", teleTAN = "TELETAN" }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let key = try container.decode(String.self, forKey: .key)
        switch try container.decode(KeyType.self, forKey: .keyType) {
        case .guid:
            guard let guid = HashedGUID(key) else { throw MalformedMessage() }
            let birthDate = try container.decodeIfPresent(String.self, forKey: .keyDob).map { text in
                guard let id = ResultID(text), id != ResultID(guid) else { throw MalformedMessage() }
                return id
            }
            proof = .guid(guid, birthDate: birthDate)
        case .teleTAN:
            guard let teleTAN = TeleTAN(key) else { throw MalformedMessage() }
            proof = .teleTAN(teleTAN)
        }
        requestPadding = ""
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch proof {
        case .guid(let guid, let birthDate):
            try container.encode(guid.text, forKey: .key)
            try container.encode(KeyType.guid, forKey: .keyType)
            try container.encodeIfPresent(birthDate?.text, forKey: .keyDob)
        case .teleTAN(let teleTAN):
            try container.encode(teleTAN.text, forKey: .key)
            try container.encode(KeyType.teleTAN, forKey: .keyType)
        }
        try container.encode(requestPadding, forKey: .requestPadding)
    }
}

/// The answer to a registration (cwa-verification-server, `ExternalTokenController`).
package struct RegistrationTokenResponse: JSONMessage, Equatable {
    /// The only time that the token leaves the server, which keeps its digest alone.
    package let registrationToken: RegistrationToken
    /// For the metadata proxy, which doesn't pass it on: whether so many teleTANs were refused in this hour that it must let
    /// fewer through from parts of the net where some were. It depends on nothing that the request says, and always takes
    /// one byte.
    package var isStrained = false

    /// An answer with a fresh token; that of a fake request opens nothing.
    package init(_ registrationToken: RegistrationToken, isStrained: Bool = false) {
        self.registrationToken = registrationToken
        self.isStrained = isStrained
    }

    package static var headerNames: [HTTPField.Name] { [.teleTANsStrained] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        do {
            self = try JSONDecoder().decode(Self.self, from: body)
        } catch {
            throw MalformedMessage()
        }
        isStrained = fields[.teleTANsStrained] == "1"
    }

    package func encoded() throws -> EncodedMessage {
        EncodedMessage(fields: [.teleTANsStrained: isStrained ? "1" : "0"], body: try encodedBody())
    }

    private enum CodingKeys: String, CodingKey { case registrationToken }
}

/// A phone asks for the result of its registered test, or for the TAN of a positive one (cwa-verification-server,
/// `ExternalTestStateController`, `ExternalTanController`).
package struct RegisteredTestRequest: FakeableMessage, Equatable {
    /// From the registration. An unknown one is answered with 400; so is a wish for a TAN where the test isn't positive or
    /// its TAN is spent.
    package let registrationToken: RegistrationToken
    /// Whether the header field `cwa-fake` was exactly `1`; the body doesn't say it.
    package var isFake = false
    /// See ``RegistrationTokenRequest/requestPadding``.
    package let requestPadding: String

    /// A request that isn't fake; padding is up to the caller.
    package init(_ registrationToken: RegistrationToken, requestPadding: String = "") {
        self.registrationToken = registrationToken
        self.requestPadding = requestPadding
    }

    private enum CodingKeys: String, CodingKey { case registrationToken, requestPadding }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        registrationToken = try container.decode(RegistrationToken.self, forKey: .registrationToken)
        requestPadding = ""
    }
}

/// A result as apps read it (cwa-verification-server, `ExternalTestStateController`).
package struct TestResultResponse: JSONMessage, Equatable {
    /// A number that apps know, 0...9.
    package let testResult: TestResultCode
    /// When the sample was taken, in seconds since the epoch; 32 bits, because Android's app reads it so.
    package let sampleCollected: Int32
    /// The laboratory's name for itself, where it gave one.
    package let labID: String?

    /// An answer as its parts.
    package init(testResult: TestResultCode, sampleCollected: Int32, labID: String?) {
        self.testResult = testResult
        self.sampleCollected = sampleCollected
        self.labID = labID
    }

    private enum CodingKeys: String, CodingKey {
        case testResult
        case sampleCollected = "sc"
        case labID = "labId"
    }
}

/// The TAN of a registration (cwa-verification-server, `ExternalTanController`).
package struct TANResponse: JSONMessage, Equatable {
    /// Authorises one upload; that of a fake request authorises nothing.
    package let tan: TAN

    /// An answer with a TAN.
    package init(_ tan: TAN) { self.tan = tan }
}
