import Credentials
import ExposureKeys
import Foundation
import Phone

/// Somebody without a positive test who tries to warn others.
struct Intruder: Sendable {
    private let apps: AppClient
    /// The keys of all attempts; none of them may ever be published.
    private(set) var keys: Set<KeyData> = []

    init(apps: AppClient) { self.apps = apps }

    /// Uploads keys with a made-up TAN.
    /// - Returns: whether a server took them.
    mutating func attempt(at now: Date) async -> Bool {
        var random = SystemRandomNumberGenerator()
        let own = Phone(at: now, using: &random).diagnosisKeys()
        keys.formUnion(own.map(\.data))
        return (try? await apps.upload(own, tan: TAN(RandomIdentifier(using: &random)))) != nil
    }
}
