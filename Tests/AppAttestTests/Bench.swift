import AppAttest
import Certificates
import Crypto
import DevelopmentAttestation
import Foundation
import Testing

/// A simulated Apple, an app on a device, and a policy that accepts it.
struct Bench {
    static let now = Date(timeIntervalSince1970: 1_795_521_600)
    /// One for all tests that don't need their own: making keys takes time.
    static let shared = Result { try Bench() }

    let authority: AppleAuthority
    var device: AppAttestDevice
    let app: AppID
    let clientDataHash = Array(SHA256.hash(data: Data("a challenge".utf8)))

    init(authority: AppleAuthority? = nil) throws {
        self.authority = try authority ?? AppleAuthority(at: Self.now)
        app = try #require(AppID("ABCDE12345.org.example.app"))
        device = AppAttestDevice(app: app)
    }

    func policy(
        apps: Set<AppID>? = nil, environments: Set<AppAttestEnvironment> = [.production],
        categories: Set<ValidationCategory> = [.appStore], rootPEM: String? = nil
    ) throws -> AppAttestPolicy {
        AppAttestPolicy(
            apps: apps ?? [app], environments: environments, categories: categories,
            roots: try #require(PinnedRoots(pem: rootPEM ?? authority.rootPEM)))
    }

    func template() throws -> AttestationTemplate {
        try AttestationTemplate(
            publicKey: device.publicKey, clientDataHash: clientDataHash, app: app, environment: .production,
            at: Self.now)
    }

    @discardableResult func verify(
        _ attestation: [UInt8], with policy: AppAttestPolicy? = nil, keyID: AppAttestKeyID? = nil, at now: Date = now
    ) throws -> AttestedKey {
        try (policy ?? self.policy()).verify(
            attestation: attestation, keyID: keyID ?? device.keyID, clientDataHash: clientDataHash, now: now)
    }

    /// The flaw, nil if it is accepted.
    func flaw(_ attestation: [UInt8], with policy: AppAttestPolicy) -> AppAttestFlaw? {
        do throws(AppAttestFlaw) {
            _ = try policy.verify(
                attestation: attestation, keyID: device.keyID, clientDataHash: clientDataHash, now: Self.now)
            return nil
        } catch {
            return error
        }
    }
}

extension CBORItem {
    /// The item with another value of a key, which may stand in a map in it.
    func replacing(_ name: String, with value: CBORItem) -> CBORItem {
        guard case .map(let pairs) = self else { return self }
        return .map(
            pairs.map { pair in
                if case .text(name) = pair.key {
                    (pair.key, value)
                } else {
                    (pair.key, pair.value.replacing(name, with: value))
                }
            })
    }

    /// The item with one more pair.
    func adding(_ name: String, _ value: CBORItem) -> CBORItem {
        guard case .map(let pairs) = self else { return self }
        return .map(pairs + [(.text(name), value)])
    }

    /// The item without a pair.
    func removing(_ name: String) -> CBORItem {
        guard case .map(let pairs) = self else { return self }
        return .map(
            pairs.filter { pair in
                if case .text(name) = pair.key { false } else { true }
            })
    }
}
