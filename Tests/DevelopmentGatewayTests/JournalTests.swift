import DevelopmentGatewayAPI
import FederationFormat
import Foundation
import Running
import TestSupport
import Testing

@testable import DevelopmentGateway

/// What a gateway with a journal leaves to the process that follows it.
@Suite(.timeLimit(.minutes(5))) struct JournalTests {
    private static let url = "https://127.0.0.1/callback"
    private let clock = ManualClock(Stage.noon)
    private let anchor: FederationAnchor
    private let home: SimulatedCountry
    private let france: SimulatedCountry

    init() throws {
        anchor = try FederationAnchor.make(validity: Stage.validity)
        home = try SimulatedCountry.make(Stage.germany, validity: Stage.validity)
        france = try SimulatedCountry.make(Stage.france, .p384, validity: Stage.validity)
    }

    private func gateway(_ path: String, answer: Int? = 200) throws -> SimulatedGateway {
        try SimulatedGateway(
            anchor: anchor, home: home.member, countries: [france], clock: clock.clock,
            journal: try GatewayJournal(path)
        ) { _ in answer }
    }

    /// Everything that callers can ask for.
    private func content(of gateway: SimulatedGateway) -> [String] {
        gateway.state.with(at: gateway.clock.now) { contents in
            var lines = ["\(gateway.clock.now.timeIntervalSince(clock.now))"]
            for batch in contents.batches {
                lines.append("\(batch.tag) \(batch.created) \(batch.next?.text ?? "")")
                lines += batch.uploads.map { "\($0)" }
            }
            lines += contents.waiting.map { "\($0)" }
            lines += contents.callbacks.subscriptions.map { "\($0)" }
            return lines
        }
    }

    private func upload(_ gateway: SimulatedGateway, _ keys: Int, _ kind: CountryUpload.Kind = .good) async throws {
        let uploaded = try await gateway.upload(CountryUpload(country: "FR", kind: kind, keys: keys))
        #expect(uploaded.status == 201)
    }

    @Test func `the next process knows uploads, batches, subscriptions, calls and the time`() async throws {
        try await withScratchFolder { folder in
            let path = "\(folder)/journal"
            func written() async throws -> [String] {
                let gateway = try gateway(path)
                for name in ["1", "2"] {
                    let isTaken = gateway.state.with(at: clock.now) {
                        $0.subscribe(name, of: Stage.germany, url: Self.url, at: clock.now)
                    }
                    #expect(isTaken)
                }
                try await upload(gateway, 3)
                try await upload(gateway, 4, .bad)
                gateway.batch()
                await gateway.callBack()
                gateway.advance(to: clock.now + 3600)
                try await upload(gateway, 2)
                let tag = gateway.batch().first?.text
                #expect(tag == "20300317-2")
                try await gateway.plantOwnKeys("2030-03-17", tag, of: Stage.france)
                #expect(gateway.state.with(at: clock.now) { $0.unsubscribe("2", of: Stage.germany, at: clock.now) })
                try await upload(gateway, 1)
                return content(of: gateway)
            }
            let before = try await written()
            let next = try gateway(path)
            #expect(content(of: next) == before)
            // What was stored is stored, and what follows is appended.
            let known = try #require(next.state.with(at: next.clock.now) { $0.waiting.first?.tag })
            #expect(next.state.with(at: next.clock.now) { $0.knows(tag: known) })
            try await upload(next, 5)
            #expect(next.batch().map(\.text) == ["20300317-3"])
        }
    }

    @Test func `a line that a kill has cut off is left out, and others follow it`() async throws {
        try await withScratchFolder { folder in
            let path = "\(folder)/journal"
            do {
                let gateway = try gateway(path)
                try await upload(gateway, 3)
                try await upload(gateway, 4)
            }
            let content = try Data(contentsOf: URL(filePath: path))
            try content.dropLast(20).write(to: URL(filePath: path))
            do {
                let gateway = try gateway(path)
                #expect(gateway.state.with(at: clock.now) { $0.waiting.map(\.keys.count) } == [3])
                try await upload(gateway, 5)
            }
            let next = try gateway(path)
            #expect(next.state.with(at: clock.now) { $0.waiting.map(\.keys.count) } == [3, 5])
        }
    }

    @Test func `only one process has a journal`() async throws {
        try await withScratchFolder { folder in
            let journal = try GatewayJournal("\(folder)/journal")
            #expect(throws: FileProblem.self) { try GatewayJournal("\(folder)/journal") }
            #expect(!journal.isFull)
        }
    }
}
