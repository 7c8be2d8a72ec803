import Calling
import Credentials
import ExposureKeys
import HourKeys
import Running
import ServiceLifecycle

/// Stores uploads for the fold, one sealed row each. Rows that arrive together are stored by one statement.
struct Inbox: Service {
    private struct Upload: Sendable {
        let content: UploadContent
        let tag: Digest
        let isKept: Bool
    }

    private let uploads: Batcher<Upload, Void>
    private let current: CurrentHourKey
    private let clock: WallClock

    /// How often an upload may hit an hour that is just being closed. Twice would take two folds during one request.
    private static let attempts = 3
    /// The most rows of one statement: usually a third of a megabyte, at most 2.6.
    private static let batch = 96

    init(store: InboxStore, current: CurrentHourKey, clock: WallClock) {
        self.current = current
        self.clock = clock
        uploads = Batcher(maximum: Self.batch, workers: 1, pause: .milliseconds(5)) { uploads in
            for _ in 0..<Self.attempts {
                let key = try await current.key(for: Hour(containing: clock.now))
                let sealed = try SealedUpload.seal(uploads.map { ($0.tag, $0.content) }, to: key)
                let rows = zip(uploads, sealed).filter(\.0.isKept).map {
                    InboxRow(tag: $0.tag, hour: key.hour, sealed: $1)
                }
                if try await store.insert(rows, sealedTo: key) { return uploads.map { _ in } }
                current.forget()
            }
            throw NoOpenHour()
        }
    }

    func run() async throws {
        try await uploads.run()
    }

    /// Seals and stores an upload durably. An upload whose tag is already there is already stored.
    /// - Parameter isKept: false for a dummy request or a refused upload. It is sealed and waits for its commit like a real
    ///   one, but its row is left out.
    /// - Throws: ``NoOpenHour``.
    func take(_ content: UploadContent, tag: Digest, isKept: Bool) async throws {
        try await uploads.answer(to: Upload(content: content, tag: tag, isKept: isKept))
    }

    /// Ready if there is a key to seal uploads to.
    var readiness: ReadinessCheck {
        ReadinessCheck("hour-key") {
            (try? await current.key(for: Hour(containing: clock.now))) != nil
        }
    }
}

/// A sealed upload that waits for the fold.
struct InboxRow: Sendable {
    let tag: Digest
    let hour: Hour
    let sealed: SealedUpload
}
