import Crypto
import Foundation
import HTTPTypes
import PublishedTree
import Running
import Synchronization
import TestSupport
import Testing

@testable import ObjectStore

/// Each call to an S3 store, by a job as the services have them, and each answer that a party outside may give.
@Suite(.timeLimit(.minutes(5))) struct AnswerTests {
    enum Call: CaseIterable, Sendable {
        case list, read, write, remove
    }

    /// How the job ends.
    private struct Row {
        let script: [ScriptedStore.Line]
        /// How often the store is asked.
        var requests = 1
        let cause: LoggedCause
    }

    private static let key = TreeKey("version/v1")
    private static let content = Array("content".utf8)
    private static let md5 = Insecure.MD5.hash(data: content).hexadecimal

    private static func row(_ call: Call, _ answer: OutsideAnswer) -> Row {
        switch answer {
        case .refusedWithReason:
            Row(
                script: [.answer(403, "<Error><Code>AccessDenied</Code></Error>")],
                cause: failure(of: call, "failed: the store answered 403 AccessDenied; the access key needs"))
        case .refusedWithoutReason:
            Row(
                script: [.answer(403)],
                cause: failure(of: call, "failed: the store answered 403; the access key needs"))
        case .lateButDone:
            Row(
                script: [.silence], requests: 5,
                cause: failure(of: call, "failed after 5 attempts: there was no answer in time; check the network"))
        case .addedField, .clockAhead, .clockBehind: Row(script: [right(call)], cause: LoggedCause("job done"))
        }
    }

    private static func failure(of call: Call, _ words: String) -> LoggedCause {
        let task =
            switch call {
            case .list: "Listing the objects"
            case .read: "Reading version/v1"
            case .write: "Writing version/v1"
            case .remove: "Removing objects"
            }
        return LoggedCause("job failed; retrying", ["reason": "\(task) in the bucket published \(words)"])
    }

    /// With a member that no version has.
    private static func right(_ call: Call) -> ScriptedStore.Line {
        switch call {
        case .list:
            .answer(
                200,
                """
                <ListBucketResult><IsTruncated>false</IsTruncated><AddedLater><A/></AddedLater><Contents>\
                <AddedLater>1</AddedLater><Key>version/v1</Key><Size>7</Size><ETag>"\(md5)"</ETag></Contents>\
                </ListBucketResult>
                """)
        case .read: .answer(200, "content")
        case .write: .answer(200, entityTag: "\"\(md5)\"")
        case .remove: .answer(200, "<DeleteResult><AddedLater>1</AddedLater></DeleteResult>")
        }
    }

    /// - Returns: whether the outcome is right.
    private static func perform(_ call: Call, in bucket: S3Bucket) async throws -> Bool {
        switch call {
        case .list: return try await bucket.objects() == [key: StoredObject(size: content.count, md5: md5)]
        case .read: return try await bucket.read(key) == content
        case .write: try await bucket.write(content, to: key)
        case .remove: try await bucket.remove([key])
        }
        return true
    }

    @Test(arguments: Call.allCases, OutsideAnswer.allCases)
    func `each answer of a store ends as the README says, and the log names its cause`(
        _ call: Call, _ answer: OutsideAnswer
    ) async throws {
        let log = CapturedLog()
        let row = Self.row(call, answer)
        let script = answer.isRight ? row.script : Array(repeating: row.script[0], count: row.requests)
        var fields = HTTPFields()
        if answer == .addedField { fields[try #require(HTTPField.Name("x-added-later"))] = "1" }
        try await ScriptedStore.run(
            script + [Self.right(call)], deadline: answer == .lateButDone ? .seconds(3) : .seconds(60),
            fields: fields, ahead: answer.secondsAhead
        ) { store, bucket in
            let runtime = ServiceRuntime(name: "test", settings: [:], clock: .system, logger: log.logger())
            let isRight = Mutex(false)
            let job = RecurringJob("publish", in: runtime) {
                $0.addingTimeInterval(3600)
            } work: { _ in
                let outcome = try await Self.perform(call, in: bucket)
                isRight.withLock { $0 = outcome }
                return [:]
            }
            await job.runOnce(log)
            #expect(log.has(row.cause))
            #expect(isRight.withLock { $0 } == answer.isRight)
            #expect(store.requests.count == row.requests)
            #expect(Set(store.requests).count == 1 && Set(store.bodies).count == 1)
            guard !answer.isRight else { return }
            // The store may have done it already: the next run asks for the same, which does no harm.
            let isDone = try await Self.perform(call, in: bucket)
            #expect(isDone)
            #expect(Set(store.requests).count == 1 && Set(store.bodies).count == 1)
        }
    }

    @Test("a clock that is wrong by more than a store bears is named")
    func skew() async throws {
        try await ScriptedStore.run([Self.right(.read)], ahead: 1000) { _, bucket in
            do {
                _ = try await bucket.read(Self.key)
                Issue.record("the store took it")
            } catch let problem as S3Problem {
                #expect(problem.description.hasSuffix("check this machine's clock."))
            }
        }
    }
}
