import ExposureFormat
import ExposureKeys
import Foundation
import ObjectStore
import Postgres
import PublishedTree
import TestSupport
import Testing
import TraceKeyFormat

@testable import Distribution

/// Trace keys as SwissCovid's phones download them.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct TraceKeyPublishingTests {
    /// A tag, at an even hour of the samples' day.
    static let tag = TraceKeyTag(number: Int64(Samples.noon.number) / 2)
    static let day = Samples.noon.day

    struct Stage: Sendable {
        let stage: PublishingStage

        /// Stores a key that came in the two hours that begin with a tag.
        func insert(_ key: TraceKey?, since tag: TraceKeyTag = TraceKeyPublishingTests.tag) async throws {
            let key = try #require(key)
            _ = try await stage.superuser.session { session in
                try session.execute(
                    """
                    INSERT INTO venues.trace_key (identity, secret_key, day, associated_data, nonce, bucket)
                    VALUES (
                        \(key.identity), \(key.secretKey), \(key.day.number), \(key.associatedData), \(key.nonce),
                        \(Int32(tag.number)))
                    """)
            }
        }

        /// Publishes some seconds after a tag.
        func publish(_ seconds: Double = 300, after tag: TraceKeyTag) async throws {
            _ = try await stage.publisher.publish(asOf: instant(seconds, after: tag))
        }

        /// What a phone gets, as download-server answers it: the keys and the next tag.
        func download(
            since last: TraceKeyTag? = nil, _ form: TraceKeyForm = .json, at now: Date? = nil
        ) async throws -> (keys: [TraceKey], tag: TraceKeyTag)? {
            let tree = DirectoryStore(root: stage.root)
            let index = try #require(try await tree.read(TraceKeyIndex.key).flatMap { TraceKeyIndex($0) })
            guard let place = index.file(since: last, form) else { return nil }
            let answer = try #require(try await tree.read(place).flatMap { PublishedAnswer($0) })
            let tag = try #require(answer.value(of: "x-key-bundle-tag").flatMap { TraceKeyTag($0) })
            let (signature, bytes) = try #require(answer.value(of: "signature").flatMap { ContentSignature.read($0) })
            #expect(stage.verificationKey.accepts(bytes, over: signature.digest))
            #expect(signature.covers(answer.body, at: now ?? instant(after: tag)))
            let list =
                switch form {
                case .json: TraceKeyList(json: Data(answer.body))
                case .protobuf: TraceKeyList(protobuf: answer.body)
                }
            return (try #require(list).keys, tag)
        }

        func flaws(at now: Date) async throws -> [String] {
            try await VerifyTree(
                tree: DirectoryStore(root: stage.root), publicKeys: [stage.verificationKey], minimum: 0, instant: now
            ).verdict().flaws
        }
    }

    static func instant(_ seconds: Double = 0, after tag: TraceKeyTag) -> Date {
        Date(timeIntervalSince1970: Double(tag.number * TraceKeyTag.seconds) + seconds)
    }

    static func key(_ number: UInt8, day: Day = day) -> TraceKey? {
        TraceKey(
            identity: [UInt8](repeating: number, count: 32), secretKey: [UInt8](repeating: 2, count: 48), day: day,
            associatedData: [UInt8](repeating: 3, count: 40), nonce: [UInt8](repeating: 4, count: 24))
    }

    static func keys(_ numbers: UInt8...) -> [TraceKey] { numbers.compactMap { key($0) } }

    static func later(_ steps: Int64) -> TraceKeyTag { TraceKeyTag(number: tag.number + steps) }

    private func run(_ body: @Sendable (Stage) async throws -> Void) async throws {
        try await PublishingStage.run(minimumKeys: 1) { stage in
            // An hour, so that what isn't offered is removed.
            try await stage.fold(Samples.noon.advanced(by: -24))
            try await body(Stage(stage: stage))
        }
    }

    @Test func `without keys there are empty lists with the newest tag`() async throws {
        try await run { stage in
            try await stage.publish(after: Self.tag)
            for form in TraceKeyForm.allCases {
                let answer = try #require(try await stage.download(since: nil, form))
                #expect(answer.keys.isEmpty && answer.tag == Self.tag)
                #expect(try await stage.download(since: Self.tag, form)?.keys.isEmpty == true)
                // The tag of an answer to come.
                #expect(try await stage.download(since: Self.later(1), form) == nil)
            }
        }
    }

    @Test func `keys are published when their two hours are over, in both forms`() async throws {
        try await run { stage in
            try await stage.insert(Self.key(2))
            try await stage.insert(Self.key(1))
            try await stage.publish(7_199, after: Self.tag)
            #expect(try await stage.download()?.keys == [])
            // A transaction that began before the end may not have ended.
            try await stage.publish(7_200 + 239, after: Self.tag)
            #expect(try await stage.download()?.keys == [])
            try await stage.publish(7_200 + 240, after: Self.tag)
            for form in TraceKeyForm.allCases {
                for last in [nil, Self.later(-200), Self.tag] {
                    let answer = try #require(try await stage.download(since: last, form))
                    #expect(answer.keys == Self.keys(1, 2))
                    #expect(answer.tag == Self.later(1))
                }
                #expect(try await stage.download(since: Self.later(1), form)?.keys == [])
            }
            #expect(try await stage.flaws(at: Self.instant(7_500, after: Self.tag)) == [])
        }
    }

    @Test func `every state of a trace key is explained, and is what phones see`() async throws {
        try await run { stage in
            let identity = try #require(Self.key(1)).identity
            func explanation(_ seconds: Double, after tag: TraceKeyTag) async throws -> Explanation {
                try await stage.stage.explain(at: Self.instant(seconds, after: tag)).traceKey(identity)
            }
            #expect(try await explanation(0, after: Self.tag) == .unknownTraceKey)
            try await stage.insert(Self.key(1))
            for (seconds, isPublished) in [(7_439.0, false), (7_440, true)] {
                try await stage.publish(seconds, after: Self.tag)
                #expect(try await stage.download()?.keys.isEmpty == !isPublished)
                #expect(
                    try await explanation(seconds, after: Self.tag)
                        == (isPublished ? .publishedTraceKey(since: Self.tag) : .waitingTraceKey(since: Self.tag)))
            }
            #expect(try await explanation(0, after: Self.later(12 * 15)) == .expiredTraceKey)
        }
    }

    @Test func `in which order keys came can't be told, and a repeat writes nothing`() async throws {
        try await run { stage in
            let packages = try stage.stage.publisher.packages
            let keys = (UInt8(1)...40).compactMap { Self.key($0) }.map { StoredTraceKey(key: $0, since: Self.tag) }
            let now = Self.instant(7_500, after: Self.tag)
            let files = try await TraceKeyFiles(keys, at: now, signedBy: packages).contents
            let others = try await TraceKeyFiles(keys.reversed(), at: now, signedBy: packages).contents
            #expect(files.map(\.key) == others.map(\.key))
            #expect(files.map(\.content) == others.map(\.content))
            // Two tags in two forms, and the index.
            #expect(files.count == 5)
        }
    }

    @Test func `a phone that asks with the tag of the last answer gets every key once`() async throws {
        try await run { stage in
            var randomness = SeededGenerator(seed: 5)
            var last: TraceKeyTag?
            var got: [TraceKey] = []
            for step in 0..<30 {
                try await stage.insert(Self.key(UInt8(step + 1)), since: Self.later(Int64(step) / 3))
                try await stage.publish(Double(step % 3) * 2_400 + 300, after: Self.later(Int64(step) / 3))
                guard Bool.random(using: &randomness) else { continue }
                let form = try #require(TraceKeyForm.allCases.randomElement(using: &randomness))
                let answer = try #require(try await stage.download(since: last, form))
                got += answer.keys
                last = answer.tag
            }
            try await stage.publish(after: Self.later(10))
            got += try #require(try await stage.download(since: last)).keys
            #expect(got.sorted() == (UInt8(1)...30).compactMap { Self.key($0) })
            #expect(try await stage.flaws(at: Self.instant(300, after: Self.later(10))) == [])
        }
    }

    @Test func `a key is offered until fourteen days after its day`() async throws {
        try await run { stage in
            try await stage.insert(Self.key(1, day: Self.day.advanced(by: -14)))
            try await stage.insert(Self.key(2))
            try await stage.publish(after: Self.later(1))
            #expect(try await stage.download()?.keys.count == 2)
            try await stage.publish(after: Self.later(12))
            #expect(try await stage.download()?.keys == Self.keys(2))
            try await stage.publish(after: Self.later(12 * 15))
            #expect(try await stage.download()?.keys == [])
            // The lists of before are gone.
            let files = try FileManager.default.contentsOfDirectory(
                atPath: stage.stage.root.appending(path: "version/v1/trace-keys").path)
            #expect(files.count == 3)
        }
    }

    @Test func `verify finds a key that was taken out, a list of another time and a foreign signature`() async throws {
        try await run { stage in
            try await stage.insert(Self.key(1))
            try await stage.insert(Self.key(2), since: Self.later(1))
            try await stage.publish(after: Self.later(2))
            let now = Self.instant(300, after: Self.later(2))
            #expect(try await stage.flaws(at: now) == [])
            let tree = DirectoryStore(root: stage.stage.root)
            let place = TraceKeyIndex.file(Self.tag, .json)
            let content = try #require(try await tree.read(place))
            let answer = try #require(PublishedAnswer(content))
            let index = try #require(try await tree.read(TraceKeyIndex.key))
            func flaws(_ content: [UInt8], at place: TreeKey = place) async throws -> Int {
                let whole = try #require(try await tree.read(place))
                try await tree.write(content, to: place)
                let flaws = try await stage.flaws(at: now).count
                try await tree.write(whole, to: place)
                return flaws
            }
            let fewer = try TraceKeyList(Self.keys(1)).json()
            #expect(try await flaws(PublishedAnswer(fields: answer.fields, body: fewer).bytes) > 0)
            #expect(try await flaws(PublishedAnswer(fields: [answer.fields[0]], body: answer.body).bytes) == 1)
            #expect(try await flaws(PublishedAnswer(fields: [answer.fields[1]], body: answer.body).bytes) == 1)
            #expect(try await flaws(answer.body) > 0)
            let shorter = try #require(TraceKeyIndex([Self.later(1), Self.later(2)]))
            #expect(try await flaws(shorter.bytes, at: TraceKeyIndex.key) == 2)
            #expect(index == TraceKeyIndex([Self.tag, Self.later(1), Self.later(2)])?.bytes)
            #expect(try await stage.flaws(at: now) == [])
        }
    }
}
