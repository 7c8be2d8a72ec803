import ExposureKeys
import Foundation
import ObjectStore
import Postgres
import PublishedTree
import Running
import Synchronization
import TestSupport
import Testing

@testable import Distribution

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct LeadTests {
    private static let hour = Samples.day.firstHour.advanced(by: 10)

    @Test(
        "a run that was held up while another published changes nothing; without the fence it hides what is new",
        arguments: [true, false])
    func heldUp(isFenced: Bool) async throws {
        try await PublishingStage.run { stage in
            try await stage.fold(Self.hour, try Samples.keys(0..<150))
            let tree = HeldTree(DirectoryStore(root: stage.root))
            let publisher = try stage.publisher(for: tree)
            // The lock is gone, as after a failover, and the run doesn't know it.
            let lead = try await stage.store.exclusively { $0 }
            let held = Task {
                var run = PublishingRun(
                    publisher: isFenced ? publisher.guarded(by: lead) : publisher, present: Self.hour.end,
                    inventory: TreeInventory(listed: [:], recorded: [:]), progress: .hidden)
                _ = try await run.publish(through: Self.hour)
            }
            await tree.isHeld()
            let next = Self.hour.advanced(by: 1)
            try await stage.fold(next, try Samples.keys(200..<350))
            try await stage.publish(through: next)
            let published = try stage.files()
            #expect(try published.named().contains(PublishingStage.path(of: next)))

            tree.release()
            if isFenced {
                await #expect(throws: LostLead.self) { try await held.value }
                #expect(try stage.files() == published)
            } else {
                try await held.value
                #expect(try !stage.files().named().contains(PublishingStage.path(of: next)))
            }
            // The next run puts it right.
            try await stage.publish(through: next)
            #expect(try stage.files() == published)
        }
    }

    /// At each change of the tree, another process takes the lead.
    private static func overtakenTree(of stage: PublishingStage) -> GuardedTree {
        GuardedTree(DirectoryStore(root: stage.root)) {
            try await stage.client.session { _ = try $0.execute("SELECT vigil.begin_epoch('publish')") }
        }
    }

    @Test("an hourly run, and one of venue events, that is overtaken at its first change makes no other")
    func overtaken() async throws {
        try await PublishingStage.run { stage in
            try await stage.fold(Self.hour, try Samples.keys(0..<150))
            let publisher = try stage.publisher(for: Self.overtakenTree(of: stage))
            await #expect(throws: LostLead.self) { try await publisher.publish(asOf: Self.hour.end) }
            // Files of one package are written together.
            #expect(try stage.files().count <= 2)

            try stage.removeTree()
            await #expect(throws: LostLead.self) {
                try await PublishVenueEvents(publisher: publisher).run(at: Self.hour.end)
            }
            #expect(try stage.files().count == 1)
        }
    }
}

/// A tree that holds up whoever writes the first list of trace keys, which is after the hours were decided, and before the indexes.
private final class HeldTree: TreeStore {
    private let tree: DirectoryStore
    private let writing = AsyncStream.makeStream(of: Void.self)
    private let going = AsyncStream.makeStream(of: Void.self)

    init(_ tree: DirectoryStore) { self.tree = tree }

    /// Waits until somebody is held up.
    func isHeld() async { for await _ in writing.stream { return } }

    func release() { going.continuation.finish() }

    func objects() async throws -> [TreeKey: StoredObject] { try await tree.objects() }
    func read(_ key: TreeKey) async throws -> [UInt8]? { try await tree.read(key) }
    func remove(_ keys: [TreeKey]) async throws { try await tree.remove(keys) }

    func write(_ content: [UInt8], to key: TreeKey) async throws {
        try await tree.write(content, to: key)
        guard key.kind == .answer else { return }
        writing.continuation.yield()
        for await _ in going.stream {}
    }
}
