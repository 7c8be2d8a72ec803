package import AppAttest
package import Running
import Synchronization

/// `DCAppAttestService` of every iPhone, with the keys in their hardware and Apple's attestations of them.
package final class SimulatedAppAttest: Sendable {
    private let apple: AppleAuthority
    private let clock: WallClock
    private let keys = Mutex<[AppAttestKeyID: Key]>([:])

    private struct Key {
        var device: AppAttestDevice
        var isAttested = false
    }

    /// Keys that are remembered; no more are made.
    private static let most = 100_000

    /// `DCError.invalidKey`: nobody made the key, it is attested already, or, for an assertion, not yet.
    package struct InvalidKey: Error {}

    /// - Parameter clock: it dates attestations.
    package init(_ apple: AppleAuthority, clock: WallClock) {
        self.apple = apple
        self.clock = clock
    }

    /// `generateKey`.
    /// - Returns: the key's name; nil if too many were made.
    package func makeKey(of app: AppID) -> AppAttestKeyID? {
        let device = AppAttestDevice(app: app)
        return keys.withLock { keys in
            guard keys.count < Self.most else { return nil }
            keys[device.keyID] = Key(device: device)
            return device.keyID
        }
    }

    /// `attestKey`, once for each key.
    /// - Throws: ``InvalidKey``.
    package func attest(
        _ id: AppAttestKeyID, clientDataHash: [UInt8], environment: AppAttestEnvironment
    ) throws -> [UInt8] {
        let device = try keys.withLock { keys in
            guard let key = keys[id], !key.isAttested else { throw InvalidKey() }
            keys[id]?.isAttested = true
            return key.device
        }
        return try device.attestation(
            by: apple, clientDataHash: clientDataHash, environment: environment, at: clock.now)
    }

    /// `generateAssertion`: each has a higher counter than the last.
    /// - Throws: ``InvalidKey``.
    package func assertion(by id: AppAttestKeyID, clientDataHash: [UInt8]) throws -> [UInt8] {
        try keys.withLock { keys in
            guard var key = keys[id], key.isAttested else { throw InvalidKey() }
            defer { keys[id] = key }
            return try key.device.assertion(clientDataHash: clientDataHash)
        }
    }
}
