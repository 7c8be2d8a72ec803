import Calling
import Credentials
import ExposureKeys
import Running
import ServiceLifecycle
import Synchronization

/// Where an upload waits for the fold: one sealed row. Rows that come together are stored by one statement.
struct Inbox: Service {
    private struct Upload: Sendable {
        let content: UploadContent
        let tag: Digest
        let isKept: Bool
    }

    private let uploads: Batcher<Upload, Void>

    /// How often an upload may meet an hour that is just being closed. Twice would need two folds in one request.
    private static let attempts = 3
    /// The most rows of one statement: a third of a megabyte.
    private static let batch = 96

    init(store: SubmissionStore, hourKeys: HourKeys, clock: WallClock) {
        let current = CurrentHourKey(hourKeys: hourKeys)
        uploads = Batcher(maximum: Self.batch, workers: 1, pause: .milliseconds(5)) { uploads in
            for _ in 0..<Self.attempts {
                let key = try await current.key(for: Hour(containing: clock.now))
                let sealed = try SealedUpload.seal(uploads.map { ($0.tag, $0.content) }, to: key)
                let rows = zip(uploads, sealed).filter(\.0.isKept).map {
                    InboxRow(tag: $0.tag, hour: key.hour, sealed: $1)
                }
                if try await store.insert(rows, hour: key.hour) { return uploads.map { _ in } }
                current.forget()
            }
            throw HourKeyProblem.notMade
        }
    }

    func run() async throws {
        try await uploads.run()
    }

    /// Seals and stores an upload durably. An upload whose tag is there already is stored already.
    /// - Parameter isKept: false for one whose row is left out at the end. It is sealed and waits for its commit all the same.
    func take(_ content: UploadContent, tag: Digest, isKept: Bool) async throws {
        try await uploads.answer(to: Upload(content: content, tag: tag, isKept: isKept))
    }
}

/// The key that the last uploads were sealed to; valid for its own hour or until the fold closes it.
private final class CurrentHourKey: Sendable {
    private let hourKeys: HourKeys
    private let last = Mutex<HourPublicKey?>(nil)

    init(hourKeys: HourKeys) { self.hourKeys = hourKeys }

    func key(for hour: Hour) async throws -> HourPublicKey {
        if let key = last.withLock({ $0 }), key.hour >= hour { return key }
        let key = try await hourKeys.open(atOrAfter: hour)
        last.withLock { $0 = key }
        return key
    }

    func forget() { last.withLock { $0 = nil } }
}
