import Crypto
import DonationFormat
import FoundationEssentials
package import HTTPTypes

/// What iOS offers an app: `DCAppAttestService`. Keys stay in the phone's hardware, and have names of 32 bytes.
package protocol AppAttestService: Sendable {
    /// Makes a key.
    func generateKey() async throws -> [UInt8]
    /// Has Apple attest a key, once.
    func attestKey(_ key: [UInt8], clientDataHash: [UInt8]) async throws -> [UInt8]
    /// Signs with an attested key; a counter rises.
    func generateAssertion(_ key: [UInt8], clientDataHash: [UInt8]) async throws -> [UInt8]
}

/// An app's key for App Attest, and how far the server knows it. The app keeps this value as JSON.
///
/// Apple attests the key over a challenge of the server. The attestation goes with each request until one has succeeded; then assertions
/// suffice. A key that the server doesn't know an hour or two later is given up, because its challenge is too old by then (Apple,
/// "Establishing your app's integrity").
package struct AppAttestation: Codable, Hashable, Sendable {
    private var key: Key?

    private struct Key: Codable, Hashable {
        let id: [UInt8]
        /// Over which Apple attests it.
        let challenge: [UInt8]
        /// Empty before Apple has answered, and after the server has.
        var attestation: [UInt8] = []
        var isKnown = false
    }

    /// Of a new app: there is no key.
    package init() {}

    /// Evidence for one request.
    /// - Parameters:
    ///   - payload: of the request.
    ///   - challenge: of the server, for this request.
    ///   - deviceToken: DeviceCheck's, which self-reports need as well.
    /// - Throws: what the service throws. The key is kept, so that a repeat asks Apple about the same one.
    package mutating func evidence(
        for payload: [UInt8], challenge: [UInt8], deviceToken: String, by service: some AppAttestService
    ) async throws -> AppEvidence {
        var key = try await usableKey(for: challenge, by: service)
        if !key.isKnown, key.attestation.isEmpty {
            key.attestation = try await service.attestKey(key.id, clientDataHash: Self.hash(challenge))
            self.key = key
        }
        let assertion = try await service.generateAssertion(key.id, clientDataHash: Self.hash(challenge + payload))
        return .iOS(
            IOSEvidence(
                deviceToken: deviceToken,
                appAttest: .init(
                    challenge: challenge, keyID: key.id, assertion: assertion, attestation: key.attestation)))
    }

    private mutating func usableKey(for challenge: [UInt8], by service: some AppAttestService) async throws -> Key {
        if let key, key.isKnown || key.challenge == challenge { return key }
        let new = Key(id: try await service.generateKey(), challenge: challenge)
        key = new
        return new
    }

    /// A request with the evidence has succeeded.
    package mutating func succeed() {
        key?.isKnown = true
        key?.attestation = []
    }

    /// A request with the evidence was refused. The server may not know the key, or not any more: the next request has a new one.
    package mutating func fail(with status: HTTPResponse.Status) {
        if [.badRequest, .unauthorized].contains(status) { key = nil }
    }

    private static func hash(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
}
