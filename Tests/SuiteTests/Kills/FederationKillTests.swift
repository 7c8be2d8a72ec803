import Calling
import Catalogue
import DevelopmentGatewayAPI
import DevelopmentSuite
import ExposureKeys
import Foundation
import Glibc
import HTTPContract
import Postgres
import TestSupport
import Testing
import Vigil

/// Kills federation, the gateway and PostgreSQL repeatedly while keys go to other countries and come from there.
///
/// Every key of the shared stream arrives abroad exactly once and no other ever; every key from abroad is imported exactly once.
@Suite(
    .serialized, .enabled(if: TestPostgres.isAvailable, "needs PostgreSQL's programs"),
    .timeLimit(.minutes(KillPlan.minutes)))
struct FederationKillTests {
    private enum Victim: CaseIterable {
        case federation, gateway, postgres
    }

    @Test("no kill loses a shared key, sends it twice or lets another one leave, and none costs a key from abroad")
    func kills() async throws {
        try await KillableSuite.run([.developmentGateway]) { suite in
            let countries = try Countries(suite)
            let (history, interrupted) = try await countries.whileOpen {
                let interrupted = try await Self.exchange(between: countries, of: suite)
                return (try await countries.history(), interrupted)
            }
            #expect(history.violations == [], "seed \(KillPlan.seed)")
            #expect(!history.abroad.isEmpty && !history.imported.isEmpty && interrupted > 0)
            print(
                "\(KillPlan.kills) kills, seed \(KillPlan.seed), \(interrupted) of them amid an exchange: "
                    + "\(history.abroad.count) keys went abroad, \(history.imported.count) came; "
                    + "\(history.violations.count) promises broken.")
        }
    }

    @Test("the checker detects a gateway that forgets what it acknowledged")
    func carelessGateway() async throws {
        let change = try #require(SettingChange(argument: "development-gateway.journal="))
        try await KillableSuite.run([.developmentGateway], changes: [change]) { suite in
            let countries = try Countries(suite)
            let history = try await countries.whileOpen {
                try await countries.foldHour()
                try await countries.settle()
                try await suite.restart(.developmentGateway)
                try await countries.settle()
                return try await countries.history()
            }
            #expect(!history.violations.isEmpty)
        }
    }

    @Test("an exchange goes through the operator's proxy (tinyproxy), and nowhere if that isn't there")
    func proxied() async throws {
        try await KillableSuite.run([.developmentGateway]) { suite in
            let (port, log) = (TestPort.free(), suite.folder.log("tinyproxy"))
            let configuration = suite.folder.configuration("tinyproxy")
            try suite.folder.write(
                "Port \(port)\nListen 127.0.0.1\nLogFile \"\(log)\"\nLogLevel Info\nTimeout 60\n", to: configuration)
            let countries = try Countries(suite)
            try await countries.whileOpen {
                await countries.use(["HTTPS_PROXY": "http://127.0.0.1:\(port)"])
                try await countries.foldHour()
                #expect(try await countries.exchange().end() != .status(0))
                let proxy = try await ChildProcess.start(
                    .init("/usr/bin/tinyproxy", ["-d", "-c", configuration], log: suite.folder.log("tinyproxy-output")))
                while try suite.folder.read(log)?.contains("Accepting connections") != true {
                    try #require(proxy.exit == nil)
                    try await Task.sleep(for: .milliseconds(10))
                }
                try await countries.uploadAbroad()
                try await countries.settle()
                proxy.send(SIGTERM)
                _ = try await proxy.end()
                let history = try await countries.history()
                #expect(history.violations == [] && !history.abroad.isEmpty && !history.imported.isEmpty)
                let gateway = try suite.url(of: .developmentGateway, .listen).split(separator: "/")[1]
                #expect(try suite.folder.read(log)?.contains("CONNECT \(gateway) HTTP") == true)
            }
        }
    }

    @Test(
        "the checker detects a key that was lost, doubled or shouldn't have left, and one that was lost on its way in")
    func judge() {
        func violations(_ change: (inout Countries.History) -> Void) -> Int {
            var history = Countries.History(
                shared: ["a", "b"], abroad: ["b", "a"], uploaded: ["c", "d"], imported: ["c", "d"])
            change(&history)
            return history.violations.count
        }
        #expect(violations { _ in } == 0)
        #expect(violations { $0.abroad.removeLast() } == 1)
        #expect(violations { $0.abroad.append("a") } == 1)
        #expect(violations { $0.abroad.append("own") } == 1)
        #expect(violations { $0.imported.removeLast() } == 1)
        #expect(violations { $0.imported.append("c") } == 1)
        #expect(violations { $0.imported.append("strange") } == 1)
    }

    /// Exchanges keys, and kills one of the three each time.
    /// - Returns: how many exchanges hadn't ended.
    private static func exchange(between countries: Countries, of suite: KillableSuite) async throws -> Int {
        var interrupted = 0
        // A kill comes at a random moment of an exchange, which takes as long as this one.
        try await countries.foldHour()
        let begin = ContinuousClock.now
        _ = try await countries.exchange().end()
        let usual = ContinuousClock.now - begin
        var randomness = SeededGenerator(seed: KillPlan.seed)
        for number in 0..<KillPlan.kills {
            // The same slot is worked at repeatedly.
            if number.isMultiple(of: 2) { try await countries.foldHour() }
            async let french: Void = countries.uploadAbroad()
            let job = try await countries.exchange()
            try await Task.sleep(for: usual * .random(in: 0...1, using: &randomness))
            if job.exit == nil { interrupted += 1 }
            let victim: KillableSuite.Member?
            switch Victim.allCases[number % Victim.allCases.count] {
            case .federation: victim = nil
            case .gateway: victim = .developmentGateway
            case .postgres: victim = .postgres
            }
            if let victim {
                try await suite.restart(victim)
            } else {
                job.send(SIGKILL)
            }
            _ = try await job.end()
            try await french
        }
        try await countries.settle()
        return interrupted
    }

    /// This country with its database, and France behind the gateway.
    private actor Countries {
        private let suite: KillableSuite
        private let gateway: ServiceClient
        private var hour: Hour
        /// How far federation's clock is ahead, so that nothing waits for the end of a pause.
        private var ahead: TimeInterval = 0
        /// Of the exchanges.
        private var environment: [String: String] = [:]
        private var shared: [String] = []
        private var uploaded: [String] = []

        init(_ suite: KillableSuite) throws {
            self.suite = suite
            gateway = try ServiceClient(
                base: suite.url(of: .developmentGateway, .control), tls: nil, name: "development-gateway",
                deadline: .seconds(10))
            // Behind the clock, by more hours than the test folds.
            hour = Hour(containing: Date()).advanced(by: -KillPlan.kills / 2 - 3)
        }

        func whileOpen<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(try await body())
            } catch {
                result = .failure(error)
            }
            await gateway.close()
            return try result.get()
        }

        // MARK: At home

        /// Stores an hour's keys as the fold does, and marks the hour as published.
        func foldHour() async throws {
            hour = hour.advanced(by: 1)
            let number = hour.number
            let own = Self.keys(.random(in: 20...150))
            let shared = Self.keys(.random(in: 140...400))
            self.shared += shared.map(\.text)
            let start = Int32(hour.day.advanced(by: -2).firstInterval.rawValue)
            let streams = own.map { _ in Int16(0) } + shared.map { _ in Int16(1) }
            let keys = own + shared
            try await suite.asSuperuser { session in
                try session.execute("SELECT submission.ensure_day(\(number / 24))")
                try session.execute(
                    """
                    INSERT INTO submission.diagnosis_key (
                        hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset,
                        report_type, is_federated)
                    SELECT \(number), data, \(start), 144, 5, 1, 1, stream > 0
                    FROM unnest(\(keys.map(\.bytes)), \(streams)) AS folded (data, stream)
                    """)
                try session.execute(
                    """
                    INSERT INTO distribution.published_hour (hour, keys, first_end)
                    VALUES (\(number), \(Int32(keys.count)), 1)
                    """)
            }
        }

        func use(_ environment: [String: String]) { self.environment = environment }

        /// Starts a job that sends and reads.
        func exchange(after pause: TimeInterval = 180) async throws -> ChildProcess {
            ahead += pause
            return try await suite.exchange(asOf: hour.end, ahead: ahead, environment: environment)
        }

        /// Exchanges until nothing waits.
        func settle() async throws {
            for _ in 0..<20 {
                // Longer than any pause.
                let ended = try await exchange(after: 3600).end()
                try await makeBatches()
                if ended == .status(0), try await waiting() == 0 { break }
            }
            // What was put into a batch only now.
            #expect(try await exchange(after: 3600).end() == .status(0))
            #expect(try await waiting() == 0)
        }

        private func waiting() async throws -> Int64? {
            try await suite.asSuperuser { session in
                try session.row(
                    """
                    SELECT (SELECT count(*) FROM federation.outgoing_batch WHERE state <> 'delivered')
                        + (SELECT count(*) FROM federation.incoming_batch WHERE state = 'announced')
                    """, as: Int64.self)
            }
        }

        // MARK: Abroad

        /// France uploads keys, and repeats it until the gateway has them.
        func uploadAbroad() async throws {
            let keys = Self.keys(.random(in: 10...60)).map(\.text)
            let upload = CountryUpload(country: "FR", data: keys)
            let status = try await answered { try await gateway.call(DevelopmentGatewayAPI.upload, upload).status }
            // The gateway has them from an attempt whose answer was lost.
            #expect([201, 409].contains(status))
            uploaded += keys
            try await makeBatches()
        }

        private func makeBatches() async throws {
            _ = try await answered { try await gateway.call(DevelopmentGatewayAPI.batching, BatchingRequest()) }
        }

        private func answered<Answer: Sendable>(_ call: () async throws -> Answer) async throws -> Answer {
            let deadline = ContinuousClock.now + .seconds(60)
            while true {
                do {
                    return try await call()
                } catch let error as CallError {
                    guard ContinuousClock.now < deadline else { throw error }
                    try await Task.sleep(for: .milliseconds(.random(in: 5...60)))
                }
            }
        }

        private static func keys(_ count: Int) -> [KeyData] {
            (0..<count).map { _ in KeyData(high: .random(in: .min ... .max), low: .random(in: .min ... .max)) }
        }

        // MARK: Afterwards

        /// Keys in Base64.
        struct History: Sendable {
            /// Those that this country's people agreed to share.
            let shared: [String]
            /// Those that France downloads, one entry per occurrence.
            var abroad: [String]
            /// France's.
            let uploaded: [String]
            /// Those that are to be published here, one entry per occurrence.
            var imported: [String]

            var violations: [String] {
                Self.violations(of: shared, arrived: abroad, "abroad")
                    + Self.violations(of: uploaded, arrived: imported, "here")
            }

            private static func violations(of sent: [String], arrived: [String], _ place: String) -> [String] {
                let counts = Dictionary(arrived.map { ($0, 1) }, uniquingKeysWith: +)
                let (lost, doubled, strange) = (
                    sent.count { counts[$0] == nil }, counts.values.count { $0 > 1 },
                    Set(counts.keys).subtracting(sent).count
                )
                return [(lost, "are lost"), (doubled, "are there twice"), (strange, "shouldn't be there")].compactMap {
                    $0 > 0 ? "\($0) keys \($1) \(place)" : nil
                }
            }
        }

        func history() async throws -> History {
            let received = try await gateway.call(DevelopmentGatewayAPI.received, ReceivedQuery(country: "FR"))
            let imported = try await suite.asSuperuser { session in
                try session.rows("SELECT key_data FROM foreign_keys.diagnosis_key", as: [UInt8].self)
            }
            return History(
                shared: shared, abroad: received.uploads.flatMap(\.keys), uploaded: uploaded,
                imported: imported.compactMap { KeyData($0)?.text })
        }
    }
}

extension KeyData {
    fileprivate var text: String { Data(bytes).base64EncodedString() }
}
