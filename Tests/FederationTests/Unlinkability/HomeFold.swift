import Credentials
import ExposureKeys
import Foundation
import HourKeys
import Logging
import Running
import Schema
import TestSupport
import Testing

@testable import SubmissionServer

/// The real fold with two streams, on a database. Uploads reach its inbox without the front door.
struct HomeFold: Sendable {
    /// The only size of each stream's sets, as long as fewer keys are uploaded.
    static let size = 170

    private let inbox: InboxStore
    private let fold: Fold

    /// - Parameter first: the first hour that is folded.
    static func run<Result: Sendable>(
        on database: MigratedDatabase, by clock: ManualClock, from first: Hour,
        _ body: (HomeFold) async throws -> Result
    ) async throws -> Result {
        try await withScratchFolder { folder in
            try await TestPostgres.withClient(database.connection(as: .submission), maximumConnections: 1) { server in
                try await TestPostgres.withClient(database.connection(as: .fold), maximumConnections: 2) { folding in
                    let sizes = SizeClasses(smallest: size)
                    let fold = Fold(
                        store: FoldStore(folding), files: HourKeyFiles(directory: URL(filePath: folder)),
                        clock: DatabaseClock(of: folding, movedLike: clock.clock), fillers: Fillers(sizes: sizes),
                        federatedSizes: sizes, metrics: FoldMetrics(PrometheusMetrics()),
                        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
                    try await fold.store.makeKeys(from: first, count: 1, in: fold.files)
                    return try await body(HomeFold(inbox: InboxStore(server), fold: fold))
                }
            }
        }
    }

    /// Takes an hour's uploads, and folds the hour, which has just ended.
    func fold(_ hour: Hour, _ uploads: [SimulatedUpload]) async throws {
        let key = try #require(try await inbox.openKey(atOrAfter: hour))
        #expect(key.hour == hour)
        let contents = uploads.map { upload in
            (
                tag: Digest(sha256: UUID().uuidString.utf8),
                content: UploadContent(keys: upload.keys.sorted(), stream: upload.stream)
            )
        }
        let rows = zip(contents, try SealedUpload.seal(contents, to: key)).map {
            InboxRow(tag: $0.tag, hour: hour, sealed: $1)
        }
        #expect(try await inbox.insert(rows, sealedTo: key))
        _ = try await fold.run(asOf: hour.end)
    }
}
