import Crypto
import FederationAPI
import FederationFormat
import FoundationEssentials
import HTTPContract
import Running
import Serving

/// Takes the gateway's calls: notes the batch and answers at once.
///
/// The gateway forgets a subscription after six answers other than 2xx, so nothing slow happens here. A batch that is known, or of a day
/// that isn't looked through, changes nothing.
struct TakeAnnouncement: Sendable {
    let store: IncomingStore
    let days: Int
    let clock: WallClock

    func handle(_ announcement: BatchAnnouncement) async throws -> NoContent {
        try await store.announce(announcement.tag, announcement.day, days: days, at: clock.now)
        return NoContent()
    }
}

/// The certificates that the gateway calls with, from the file that `callback.gateway` names. The gateway announces a new one before it
/// changes, so the file may have several.
struct PinnedCaller: Sendable {
    private let fingerprints: Set<[UInt8]>

    init(_ settings: Settings) throws {
        let path = try settings.path("callback.gateway")
        let text = try settings.text("callback.gateway")
        let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
        let documents = text.split(separator: end, omittingEmptySubsequences: false).dropLast()
        let certificates = documents.compactMap { document in
            document.split(separator: begin, omittingEmptySubsequences: false).last.flatMap {
                try? FederationCertificate(pem: "\(begin)\($0)\(end)\n")
            }
        }
        guard !certificates.isEmpty, certificates.count == documents.count else {
            throw settings.wrong("callback.gateway", "names \(path), which must hold certificates in PEM")
        }
        fingerprints = Set(certificates.map { Array(SHA256.hash(data: $0.der)) })
    }

    /// Whether the caller presented one of them.
    func isCaller(_ caller: Caller) -> Bool { caller.fingerprint.map(fingerprints.contains) ?? false }
}
