import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import DevelopmentGateway

/// `/diagnosiskeys/callback` and the calls (efgs-federation-gateway, `CallbackAdminController`, `CallbackService`,
/// `CallbackTaskExecutorService`).
@Suite(.timeLimit(.minutes(5))) struct CallbackTests {
    private static let url = "https://127.0.0.1:8443/callback"

    private func put(_ stage: Stage, _ id: String = "1", _ url: String = url) async throws -> Int {
        let query = url.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return try await stage.send(.put, "/diagnosiskeys/callback/\(id)?url=\(query)").status
    }

    private func list(_ stage: Stage) async throws -> String {
        try await stage.send(.get, "/diagnosiskeys/callback").text
    }

    // MARK: Administration

    @Test func `a country sees, changes and deletes its own subscriptions`() async throws {
        try await Stage.with { stage in
            let none = try await list(stage)
            #expect(none == "[]")
            #expect(try await put(stage) == 200)
            #expect(try await list(stage) == #"[{"callbackId":"1","url":"\#(Self.url)"}]"#)
            #expect(try await put(stage, "1", "\(Self.url)/2") == 200)
            #expect(try await list(stage) == #"[{"callbackId":"1","url":"\#(Self.url)/2"}]"#)
            let other = stage.austria.authentication
            #expect(try await stage.send(.get, "/diagnosiskeys/callback", as: other).text == "[]")
            #expect(try await stage.send(.delete, "/diagnosiskeys/callback/1", as: other).status == 404)
            #expect(try await stage.send(.delete, "/diagnosiskeys/callback/1").status == 200)
            #expect(try await stage.send(.delete, "/diagnosiskeys/callback/1").status == 404)
            #expect(try await list(stage) == "[]")
        }
    }

    // MARK: Calls

    private func call(_ tag: String, _ day: String = "2030-03-17") -> String {
        "\(Self.url)?batchTag=\(tag)&date=\(day)"
    }

    private func calls(_ stage: Stage) -> [String] {
        stage.calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }

    @Test func `each batch is told once, in order, and only to those who wanted it before`() async throws {
        try await Stage.with { stage in
            try await stage.frenchUpload()
            stage.gateway.batch()
            _ = try await put(stage)
            await stage.gateway.callBack()
            #expect(calls(stage).isEmpty)
            for _ in 0..<2 {
                try await stage.frenchUpload()
                stage.gateway.batch()
            }
            await stage.gateway.callBack()
            #expect(calls(stage) == [call("20300317-2"), call("20300317-3")])
            await stage.gateway.callBack()
            #expect(calls(stage).isEmpty)
        }
    }

    @Test(arguments: [500, 302, 404, nil]) func `after a failure the same batch is told again, five minutes later`(
        failure: Int?
    ) async throws {
        try await Stage.with { stage in
            _ = try await put(stage)
            for _ in 0..<2 {
                try await stage.frenchUpload()
                stage.gateway.batch()
            }
            stage.answer.withLock { $0 = failure }
            await stage.gateway.callBack()
            #expect(calls(stage) == [call("20300317-1")])
            stage.clock.advance(by: 300)
            await stage.gateway.callBack()
            #expect(calls(stage).isEmpty)
            stage.clock.advance(by: 1)
            stage.answer.withLock { $0 = 200 }
            await stage.gateway.callBack()
            #expect(calls(stage) == [call("20300317-1"), call("20300317-2")])
        }
    }

    @Test func `the sixth failure ends the subscription`() async throws {
        try await Stage.with { stage in
            _ = try await put(stage)
            try await stage.frenchUpload()
            stage.gateway.batch()
            stage.answer.withLock { $0 = nil }
            for failures in 1...6 {
                #expect(try await list(stage) != "[]")
                await stage.gateway.callBack()
                #expect(calls(stage).count == 1, "\(failures)")
                stage.clock.advance(by: 301)
            }
            #expect(try await list(stage) == "[]")
            await stage.gateway.callBack()
            #expect(calls(stage).isEmpty)
            // A new subscription begins anew.
            _ = try await put(stage)
            await stage.gateway.callBack()
            #expect(calls(stage).isEmpty)
        }
    }
}
