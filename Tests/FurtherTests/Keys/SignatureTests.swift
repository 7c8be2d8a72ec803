import Crypto
import Foundation
import FurtherAPI
import HTTPContract
import HTTPTypes
import Postgres
import TestSupport
import Testing

@Suite(.enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(5)))
struct SignatureTests {
    private static let report = FurtherAPI.report.route

    @Test(arguments: ["accepted", "required"])
    func `a signed report binds its id, and only the same key may change it`(mode: String) async throws {
        try await FurtherStage.run(settings: ["signatures": mode]) { stage async throws in
            let (owner, other, id) = (SigningPhone(), SigningPhone(), UUID())
            try await stage.register(owner)
            try await stage.register(other)
            #expect(try await stage.report(.sample(id, true, at: stage.now), by: owner) == 200)
            for isPositive in [true, false] {
                #expect(try await stage.report(.sample(id, isPositive, at: stage.now), by: other) == 403)
                #expect(try await stage.report(.sample(id, isPositive, at: stage.now)) == 401)
            }
            #expect(try await stage.ids() == [id])
            #expect(try await stage.report(.sample(id, true, at: stage.now), by: owner) == 200)
            #expect(try await stage.report(.sample(id, false, at: stage.now), by: owner) == 200)
            // It is free again.
            #expect(try await stage.ids().isEmpty)
            #expect(try await stage.report(.sample(id, true, at: stage.now), by: other) == 200)
        }
    }

    @Test func `where signatures are accepted an unbound id needs none, and the first signed report binds it`()
        async throws
    {
        try await FurtherStage.run { stage async throws in
            let (phone, id) = (SigningPhone(), UUID())
            try await stage.register(phone)
            #expect(try await stage.report(.sample(id, true, at: stage.now)) == 200)
            #expect(try await stage.report(.sample(id, true, at: stage.now), by: phone) == 200)
            #expect(try await stage.report(.sample(id, false, at: stage.now)) == 401)
        }
    }

    @Test func `where signatures are required every call needs one`() async throws {
        try await FurtherStage.run(settings: ["signatures": "required"]) { stage async throws in
            let phone = SigningPhone()
            try await stage.register(phone)
            #expect(try await stage.report(.sample(UUID(), true, at: stage.now)) == 401)
            #expect(try await stage.report(.sample(UUID(), false, at: stage.now)) == 401)
            #expect(try await stage.batch([]) == 401)
            #expect(try await stage.ids().isEmpty)
            #expect(try await stage.batch([], by: phone) == 200)
        }
    }

    @Test func `where signatures are off nobody looks at them, and there are no keys`() async throws {
        try await FurtherStage.run(settings: ["signatures": "off"]) { stage async throws in
            let (phone, id) = (SigningPhone(), UUID())
            #expect(try await stage.send("/keys", phone.registration().encodedBody()) == 404)
            #expect(try await stage.report(.sample(id, true, at: stage.now), by: phone) == 200)
            #expect(try await stage.report(.sample(id, true, at: stage.now)) == 200)
            #expect(
                try await stage.asSuperuser { try $0.row("SELECT count(*) FROM further.nonce", as: Int64.self) } == 0)
        }
    }

    @Test func `a signature is good for its call only, once, for five minutes`() async throws {
        try await FurtherStage.run { stage async throws in
            let (phone, stranger) = (SigningPhone(), SigningPhone())
            try await stage.register(phone)
            var message = try SignedMessage(HealthReport.sample(UUID(), true, at: stage.now))
            let other = try SignedMessage(HealthReport.sample(UUID(), true, at: stage.now))
            func send(_ signature: CallSignature, _ body: Data) async throws -> Int {
                message.signature = signature
                return try await stage.send("/health", body, fields: message.texts)
            }
            let body = message.body
            let good = try phone.sign(body, for: Self.report, at: stage.now)
            // Another body, even by a space; another path; another time, nonce, key and signature.
            #expect(try await send(good, other.body) == 401)
            #expect(try await send(good, body.dropLast()) == 401)
            #expect(try await send(phone.sign(body, for: FurtherAPI.batch.route, at: stage.now), body) == 401)
            #expect(try await send(phone.sign(body, for: Self.report, at: stage.now - 301), body) == 401)
            #expect(try await send(phone.sign(body, for: Self.report, at: stage.now + 301), body) == 401)
            #expect(try await send(stranger.sign(body, for: Self.report, at: stage.now), body) == 401)
            let changed = [
                CallSignature(
                    key: good.key, timestamp: good.timestamp + 1, nonce: good.nonce, signature: good.signature),
                CallSignature(
                    key: good.key, timestamp: good.timestamp, nonce: good.nonce.reversed(), signature: good.signature),
                CallSignature(
                    key: stranger.name, timestamp: good.timestamp, nonce: good.nonce, signature: good.signature),
                CallSignature(key: good.key, timestamp: good.timestamp, nonce: good.nonce, signature: []),
                CallSignature(
                    key: good.key, timestamp: .min, nonce: good.nonce, signature: good.signature),
                CallSignature(
                    key: good.key, timestamp: .max, nonce: good.nonce, signature: good.signature),
            ]
            for signature in changed { #expect(try await send(signature, body) == 401) }
            #expect(try await stage.ids().isEmpty)
            // None of this used the nonce up. Now it is used, also for another call.
            #expect(try await send(good, body) == 200)
            #expect(
                try await send(phone.sign(other.body, for: Self.report, at: stage.now, nonce: good.nonce), other.body)
                    == 401)
            #expect(try await stage.ids().count == 1)
            // The ends of the window, with other nonces.
            #expect(try await send(phone.sign(body, for: Self.report, at: stage.now - 300), body) == 200)
            #expect(try await send(phone.sign(body, for: Self.report, at: stage.now + 300), body) == 200)
            // A nonce is each key's own.
            try await stage.register(stranger)
            #expect(
                try await send(
                    stranger.sign(other.body, for: Self.report, at: stage.now, nonce: good.nonce), other.body) == 200)
        }
    }

    @Test func `the same call once more is answered alike, and changes nothing`() async throws {
        try await FurtherStage.run { stage async throws in
            let (phone, id) = (SigningPhone(), UUID())
            try await stage.register(phone)
            var positive = try SignedMessage(HealthReport.sample(id, true, at: stage.now))
            positive.signature = try phone.sign(positive.body, for: Self.report, at: stage.now)
            func sendAgain() async throws -> Int {
                try await stage.send("/health", positive.body, fields: positive.texts)
            }
            // At the same time, in one transaction, and later.
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask { [positive] in
                        try await stage.send("/health", positive.body, fields: positive.texts)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == [200, 200, 200, 200])
            #expect(try await stage.ids() == [id])
            // Whoever recorded the call can't undo with it what its owner said since.
            #expect(try await stage.report(.sample(id, false, at: stage.now + 1), by: phone) == 200)
            #expect(try await sendAgain() == 200)
            #expect(try await stage.ids().isEmpty)
            // A call that was refused is refused again.
            let other = SigningPhone()
            try await stage.register(other)
            #expect(try await stage.report(.sample(id, true, at: stage.now + 2), by: other) == 200)
            #expect(try await sendAgain() == 403)
            // A row of the release that knew no calls.
            try await stage.asSuperuser { _ = try $0.execute("UPDATE further.nonce SET call = NULL") }
            #expect(try await sendAgain() == 401)
        }
    }

    @Test func `half a signature is malformed`() async throws {
        try await FurtherStage.run { stage async throws in
            let phone = SigningPhone()
            try await stage.register(phone)
            var message = try SignedMessage(HealthReport.sample(UUID(), true, at: stage.now))
            message.signature = try phone.sign(message.body, for: Self.report, at: stage.now)
            let fields = message.texts
            for name in fields.keys {
                var rest = fields
                rest[name] = nil
                #expect(try await stage.send("/health", message.body, fields: rest) == 400, "\(name)")
                for text in ["", "x", (fields[name] ?? "") + "0", "\u{660}"] {
                    rest[name] = text
                    let status = try await stage.send("/health", message.body, fields: rest)
                    // A longer number is another one, and no signature is one that doesn't fit.
                    let isReadable = name == "X-Further-Timestamp" || name == "X-Further-Signature" && text.isEmpty
                    #expect(status == 400 || isReadable && status == 401, "\(name) \(text)")
                }
            }
            #expect(try await stage.ids().isEmpty)
            #expect(try await stage.send("/health", message.body, fields: fields) == 200)
        }
    }

    @Test func `of two first reports for an id one binds it`() async throws {
        try await FurtherStage.run { stage async throws in
            let phones = (0..<2).map { _ in SigningPhone() }
            for phone in phones { try await stage.register(phone) }
            for _ in 0..<10 {
                let id = UUID()
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for phone in phones {
                        group.addTask { try await stage.report(.sample(id, true, at: stage.now), by: phone) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.sorted() == [200, 403])
            }
        }
    }

    @Test func `a stranger can't use up the reports of an id's owner`() async throws {
        try await FurtherStage.run { stage async throws in
            let (owner, id) = (SigningPhone(), UUID())
            try await stage.register(owner)
            for _ in 0..<12 { _ = try await stage.report(.sample(id, false, at: stage.now)) }
            #expect(try await stage.report(.sample(id, true, at: stage.now)) == 429)
            #expect(try await stage.report(.sample(id, true, at: stage.now), by: owner) == 200)
        }
    }
}
