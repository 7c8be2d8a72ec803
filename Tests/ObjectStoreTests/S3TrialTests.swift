import PublishedTree
import Running
import TestSupport
import Testing

@testable import ObjectStore

/// The trial of stores that can't hold the tree, and of one that can.
@Suite(.enabled(if: TestPython.isAvailable, "needs VIGIL_TEST_PYTHON"), .timeLimit(.minutes(5)))
struct S3TrialTests {
    private func place(_ bucket: TestBucket) throws -> S3Bucket {
        try S3Bucket(Settings(bucket.settings), clock: .system)
    }

    @Test("a store that can hold the tree is tried once: a tree that is listed proves it")
    func suitable() async throws {
        try await TestBucket.with { bucket in
            let place = try place(bucket)
            #expect(try await place.needsTrial())
            try await place.tryOut()
            #expect(try await place.objects().isEmpty)
            // Others' objects and a single one prove nothing.
            for path in ["version/v1/app_config_ios", "version/v1/app_config_ios_v2", "versions/a", "versions"] {
                try await place.write([1], to: TreeKey(path))
            }
            #expect(try await place.needsTrial())
            try await place.write([1], to: TreeKey("version"))
            #expect(try await !place.needsTrial())
        }
    }

    @Test(
        "a store that can't is refused with its flaw, and nothing of the trial stays",
        arguments: [
            (TestBucket.Kind.hiding, UnsuitableStore.Flaw.hidesNested),
            (.files, .refusesNesting(status: 409, code: "ExistingObjectIsDirectory")), (.losing, .loses),
            (.altering, .alters),
        ])
    func unsuitable(kind: TestBucket.Kind, flaw: UnsuitableStore.Flaw) async throws {
        try await TestBucket.with(kind) { bucket in
            let place = try place(bucket)
            await #expect(throws: UnsuitableStore(bucket: bucket.name, flaw: flaw)) { try await place.tryOut() }
            #expect(try await place.objects().isEmpty)
        }
    }

    @Test("a tree that a store hides already is no proof")
    func hidden() async throws {
        try await TestBucket.with(.hiding) { bucket in
            let place = try place(bucket)
            for path in ["version/v1/diagnosis-keys/country", "version/index-v2", "version"] {
                try await place.write([1], to: TreeKey(path))
            }
            #expect(try await place.objects().count == 1)
            await #expect(throws: UnsuitableStore(bucket: bucket.name, flaw: .hidesNested)) { try await place.tryOut() }
        }
    }
}
