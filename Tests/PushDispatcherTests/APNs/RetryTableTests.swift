import DevelopmentAPNs
import Foundation
import Running
import TestSupport
import Testing

@testable import PushDispatcher

/// The outcome of every reply, with its retries, against the simulated service
/// (<https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns>).
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RetryTableTests {
    static let moment = Date(timeIntervalSince1970: 1_789_000_000.5)

    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        let reason: String?
        var timestamp: Date?
        let outcome: PushOutcome
        /// How often the push is sent if the reply never changes.
        var requests = 1

        var testDescription: String { "\(status) \(reason ?? "without a reason")" }
    }

    static let final: [Row] = [
        Row(status: 400, reason: "BadDeviceToken", outcome: .wrongToken),
        Row(status: 400, reason: "DeviceTokenNotForTopic", outcome: .wrongToken),
        Row(status: 400, reason: "MissingDeviceToken", outcome: .wrongToken),
        Row(status: 400, reason: "BadTopic", outcome: .refused(.badTopic)),
        Row(status: 400, reason: "MissingTopic", outcome: .refused(.missingTopic)),
        Row(status: 400, reason: "TopicDisallowed", outcome: .refused(.topicDisallowed)),
        Row(status: 400, reason: "BadPriority", outcome: .refused(.badPriority)),
        Row(status: 400, reason: "InvalidPushType", outcome: .refused(.invalidPushType)),
        Row(status: 400, reason: "BadExpirationDate", outcome: .refused(.badExpirationDate)),
        Row(status: 400, reason: "BadCollapseId", outcome: .refused(.badCollapseId)),
        Row(status: 400, reason: "BadMessageId", outcome: .refused(.badMessageId)),
        Row(status: 400, reason: "DuplicateHeaders", outcome: .refused(.duplicateHeaders)),
        Row(status: 400, reason: "PayloadEmpty", outcome: .refused(.payloadEmpty)),
        Row(status: 400, reason: "NewlyInvented", outcome: .refused(.unknown)),
        Row(status: 400, reason: nil, outcome: .refused(.unknown)),
        Row(status: 403, reason: "InvalidProviderToken", outcome: .refused(.invalidProviderToken)),
        Row(status: 403, reason: "MissingProviderToken", outcome: .refused(.missingProviderToken)),
        Row(status: 403, reason: "Forbidden", outcome: .refused(.forbidden)),
        Row(status: 403, reason: "BadCertificate", outcome: .refused(.badCertificate)),
        Row(status: 403, reason: "BadCertificateEnvironment", outcome: .refused(.badCertificateEnvironment)),
        Row(status: 403, reason: "BadEnvironmentKeyIdInToken", outcome: .refused(.badEnvironmentKeyIdInToken)),
        Row(status: 403, reason: "BadEnvironmentKeyInToken", outcome: .refused(.badEnvironmentKeyInToken)),
        Row(status: 404, reason: "BadPath", outcome: .refused(.badPath)),
        Row(status: 405, reason: "MethodNotAllowed", outcome: .refused(.methodNotAllowed)),
        Row(status: 410, reason: "Unregistered", timestamp: moment, outcome: .unregistered(moment)),
        Row(status: 410, reason: "ExpiredToken", timestamp: moment, outcome: .unregistered(moment)),
        Row(status: 410, reason: "Unregistered", outcome: .givenUp),
        Row(status: 413, reason: "PayloadTooLarge", outcome: .refused(.payloadTooLarge)),
        Row(status: 429, reason: "TooManyRequests", outcome: .givenUp),
        // What is repeated, until it is enough.
        Row(status: 400, reason: "IdleTimeout", outcome: .givenUp, requests: 6),
        Row(status: 403, reason: "ExpiredProviderToken", outcome: .refused(.expiredProviderToken), requests: 3),
        Row(status: 403, reason: "UnrelatedKeyIdInToken", outcome: .refused(.unrelatedKeyIdInToken), requests: 2),
        Row(
            status: 429, reason: "TooManyProviderTokenUpdates", outcome: .refused(.tooManyProviderTokenUpdates),
            requests: 6),
        Row(status: 500, reason: "InternalServerError", outcome: .givenUp, requests: 4),
        Row(status: 502, reason: nil, outcome: .givenUp, requests: 4),
        Row(status: 503, reason: "ServiceUnavailable", outcome: .givenUp, requests: 6),
        Row(status: 503, reason: nil, outcome: .givenUp, requests: 6),
        Row(status: 503, reason: "Shutdown", outcome: .givenUp, requests: 6),
    ]

    @Test(
        "a reply that never changes leads to its outcome, after as many retries as it allows",
        arguments: final)
    func row(_ row: Row) async throws {
        try await APNsStage.run { stage in
            stage.service.answer(
                APNsStage.token(1),
                always: .reply(status: row.status, reason: row.reason, timestamp: row.timestamp))
            let outcomes = try await stage.send([1])
            #expect(outcomes == [row.outcome])
            #expect(stage.service.totals.requests == row.requests)
            #expect(stage.service.accepted(token: APNsStage.token(1)) == 0)
        }
    }

    @Test(
        "a push that may be retried is accepted the second time, with the same id",
        arguments: final.filter { $0.requests > 1 })
    func second(_ row: Row) async throws {
        try await APNsStage.run { stage in
            stage.service.answer(APNsStage.token(1), next: .reply(status: row.status, reason: row.reason))
            let outcomes = try await stage.send([1, 2])
            #expect(outcomes == [.accepted, .accepted])
            #expect(stage.service.totals.requests == 3)
            #expect(stage.service.accepted(id: APNsStage.id(1)) == 1)
        }
    }

    @Test("after a refusal of our credentials nothing more is sent")
    func stops() async throws {
        try await APNsStage.run { stage in
            stage.service.answer(APNsStage.token(0), always: .reply(status: 403, reason: "InvalidProviderToken"))
            // The first goes alone, because that is all that a new connection takes.
            let outcomes = try await stage.send(0..<500)
            #expect(outcomes == Array(repeating: .refused(.invalidProviderToken), count: 500))
            #expect(stage.service.totals.requests == 1)
        }
    }

    @Test("Retry-After is honoured up to the longest backoff")
    func retryAfter() async throws {
        try await APNsStage.run { stage in
            stage.service.answer(
                APNsStage.token(1), next: .reply(status: 503, reason: "ServiceUnavailable", retryAfter: 3600))
            let outcomes = try await stage.send([1])
            #expect(outcomes == [.accepted])
        }
    }

    @Test("no retry begins after the push's expiration")
    func expiration() async throws {
        try await APNsStage.run(timing: { timing in
            timing.backoffBase = .seconds(36_000)
            timing.backoffCap = .seconds(36_000)
        }) { stage in
            stage.service.answer(
                APNsStage.token(1), next: .reply(status: 503, reason: "ServiceUnavailable", retryAfter: 36_000))
            let outcomes = try await stage.send([1])
            #expect(outcomes == [.givenUp])
        }
    }
}
