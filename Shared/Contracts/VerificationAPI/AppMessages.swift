package import Credentials
package import FoundationEssentials
package import HTTPContract
package import HTTPTypes
import StrictJSON

/// A JSON message of an app that a header field can mark as a dummy request (cwa-verification-server,
/// `ExternalFakeRequestController`).
package protocol FakeableMessage: JSONMessage {
    /// Whether the field `cwa-fake` is exactly `1`.
    var isFake: Bool { get set }
}

extension FakeableMessage {
    package static var headerNames: [HTTPField.Name] { [.cwaFake] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        do {
            self = try StrictJSON.decode(Self.self, from: body)
        } catch {
            throw MalformedMessage()
        }
        isFake = fields[.cwaFake] == "1"
    }

    package func encoded() throws -> EncodedMessage {
        EncodedMessage(fields: [.cwaFake: isFake ? "1" : "0"], body: try encodedBody())
    }
}

/// A phone's registration of a test: the hash of the GUID in its QR code, or a teleTAN it was told on the telephone.
package struct RegistrationTokenRequest: FakeableMessage, Equatable {
    /// The proof that entitles the phone to one registration.
    package enum Proof: Hashable, Sendable {
        /// A test's GUID.
        ///
        /// If the laboratory also posts the result under a hash with the date of birth, the phone may send that too; both must
        /// then name the same result.
        case guid(HashedGUID, birthDate: ResultID? = nil)
        case teleTAN(TeleTAN)
    }

    /// On the wire this is a `key` with its `keyType`, `GUID` or `TELETAN`, and optionally `keyDob`; another type or form is
    /// answered with 400.
    package let proof: Proof
    /// From the field `Idempotency-Key`: a repeat with the same key gets the same token again.
    ///
    /// The published apps send none. A malformed one is answered with 400.
    package var idempotencyKey: IdempotencyKey?
    /// Whether the header field `cwa-fake` is exactly `1`; the body doesn't contain it.
    package var isFake = false
    /// Random text that gives all requests of a phone the same length; servers ignore it.
    package let requestPadding: String

    /// Creates a request that isn't a dummy request. Padding is up to the caller.
    package init(_ proof: Proof, idempotencyKey: IdempotencyKey? = nil, requestPadding: String = "") {
        self.proof = proof
        self.idempotencyKey = idempotencyKey
        self.requestPadding = requestPadding
    }

    package static var headerNames: [HTTPField.Name] { [.cwaFake, .idempotencyKey] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        do {
            self = try StrictJSON.decode(Self.self, from: body)
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
    /// The token. It leaves the server only here; the server keeps only its digest.
    package let registrationToken: RegistrationToken
    /// Whether so many teleTANs were refused in this hour that the metadata proxy must admit fewer from address prefixes with
    /// refusals.
    ///
    /// It is for the proxy, which doesn't pass it on. It doesn't depend on the request, and always takes one byte.
    package var isStrained = false

    /// Creates an answer with a new token; the token of a dummy request opens nothing.
    package init(_ registrationToken: RegistrationToken, isStrained: Bool = false) {
        self.registrationToken = registrationToken
        self.isStrained = isStrained
    }

    package static var headerNames: [HTTPField.Name] { [.teleTANsStrained] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        do {
            self = try StrictJSON.decode(Self.self, from: body)
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

/// A phone's request for the result of its registered test, or for the TAN of a positive one (cwa-verification-server,
/// `ExternalTestStateController`, `ExternalTanController`).
package struct RegisteredTestRequest: FakeableMessage, Equatable {
    /// The token from the registration.
    ///
    /// An unknown token is answered with 400, as is a request for a TAN if the test isn't positive or its TAN is used.
    package let registrationToken: RegistrationToken
    /// Whether the header field `cwa-fake` is exactly `1`; the body doesn't contain it.
    package var isFake = false
    /// See ``RegistrationTokenRequest/requestPadding``.
    package let requestPadding: String

    /// Creates a request that isn't a dummy request. Padding is up to the caller.
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
    /// The laboratory's name for itself, if it gave one.
    package let labID: String?

    /// Creates an answer from its parts.
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
    /// Authorises one upload; the TAN of a dummy request authorises nothing.
    package let tan: TAN

    /// Creates an answer with a TAN.
    package init(_ tan: TAN) { self.tan = tan }
}
