import Calling
import ExposureKeys
import Foundation
import Further
import FurtherAPI
import HTTPContract
import HTTPTypes
import Logging
import Phone
import PublishedTree
import Running
import Schema
import TLS
import TestSupport

/// Phones of the Further app, the service on a database of its own, and the time that passes for both.
struct Population {
    private(set) var oracle = Oracle()
    private(set) var posts = 0
    private(set) var lostRequests = 0
    private(set) var lostAnswers = 0
    private(set) var lostLists = 0
    private(set) var retractions = 0

    private var phones: [FurtherPhone]
    /// Of those that sign.
    private let keys: [FurtherKey?]
    /// The day on which somebody's test is positive, and the one on which they take it back.
    private let illness: [Int?]
    private let retraction: [Int?]
    private var random: SeededGenerator
    private let clock: ManualClock
    /// The service's.
    private let settings: [String: String]
    private let apps: ServiceClient

    /// 2026-11-10, midnight UTC.
    private static let start = Date(timeIntervalSince1970: 1_794_268_800)

    /// Lets a population live for so many days.
    static func run(
        phones: Int, days: Int, seed: UInt64, _ check: (Population) throws -> Void
    ) async throws {
        let certificates = try TestCertificates()
        let clock = ManualClock(start)
        try await TestPostgres.withMigratedDatabase { database in
            let port = TestPort.free()
            let files = try certificates.files(role: .further)
            let hashKey = "\(certificates.directory)/hash.key"
            try Data(String(repeating: "3c", count: 32).utf8).write(to: URL(filePath: hashKey))
            let lists = "\(certificates.directory)/lists"
            try FileManager.default.createDirectory(atPath: lists, withIntermediateDirectories: true)
            let settings = [
                "tls.certificate": files.certificate, "tls.key": files.key,
                "tls.authorities": "\(certificates.directory)/authority.pem", "secrets.hashKey": hashKey,
                "app.port": "\(port)", "postgres.connection": database.connection(as: .further),
                "signatures": "accepted", "directory": lists,
            ]
            try await withRunningService(
                "further", settings: settings, clock: clock.clock, serve: Further.serve
            ) { _ in
                let apps = try ServiceClient(
                    base: "https://localhost:\(port)", tls: certificates.files(role: .metadataProxy), name: "apps",
                    deadline: .seconds(60))
                let result: Result<Population, any Error>
                do {
                    var population = Population(
                        count: phones, days: days, seed: seed, clock: clock, settings: settings, apps: apps)
                    try await population.registerKeys()
                    for day in 0..<days { try await population.live(day) }
                    result = .success(population)
                } catch {
                    result = .failure(error)
                }
                await apps.close()
                try check(result.get())
            }
        }
    }

    private init(
        count: Int, days: Int, seed: UInt64, clock: ManualClock, settings: [String: String], apps: ServiceClient
    ) {
        var random = SeededGenerator(seed: seed)
        // Every seventh has daily ids; every fourth of the others signs.
        phones = (0..<count).map { number in
            let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
            if number % 7 == 0 { return FurtherPhone(identity: .daily(secret: bytes)) }
            return FurtherPhone(identity: .lasting(FurtherIdentity.daily(secret: bytes).id(on: Day(number: 0))))
        }
        keys = (0..<count).map { $0 % 4 == 1 ? FurtherKey() : nil }
        let illness = (0..<count).map { _ in
            Double.random(in: 0..<1, using: &random) < 0.06 ? Int.random(in: 0..<days, using: &random) : nil
        }
        retraction = illness.map { day in
            day.flatMap { Double.random(in: 0..<1, using: &random) < 0.2 ? $0 + 1 : nil }
        }
        self.illness = illness
        self.random = random
        self.clock = clock
        self.settings = settings
        self.apps = apps
    }

    private func registerKeys() async throws {
        for key in keys { if let key { _ = try await apps.call(FurtherAPI.key, try key.registration()) } }
    }

    // MARK: A day

    private mutating func live(_ day: Int) async throws {
        let midnight = Self.start + Double(day) * 86_400
        for hour in [8, 12, 17] { meet(at: midnight + Double(hour) * 3600) }
        answer(on: day, at: midnight + 17.5 * 3600)
        for hour in [17.6, 18.2] { try await post(on: day, at: midnight + hour * 3600) }
        // The phones look every ten minutes; who got no list asks again.
        for look in 0...5 { try await ask(at: midnight + 19 * 3600 + Double(look) * DailyQuery.pause) }
        try await post(on: day, at: midnight + 21 * 3600)
    }

    /// Some pairs of phones come near to each other, mostly neighbours.
    private mutating func meet(at now: Date) {
        clock.set(now)
        for _ in 0..<phones.count / 2 {
            let one = Int.random(in: 0..<phones.count, using: &random)
            let distance = Int.random(in: 1...20, using: &random)
            let other = (one + distance) % phones.count
            hear(one, other, at: now)
            hear(other, one, at: now)
        }
    }

    private mutating func hear(_ listener: Int, _ sender: Int, at now: Date) {
        guard let id = phones[sender].broadcast(at: now) else { return }
        phones[listener].connect(id, at: now)
        phones[listener].disconnect(id, at: now + 300)
        oracle.meet(listener, Oracle.Sent(id: id, owner: sender, at: now, isOfDay: sender % 7 == 0))
    }

    private mutating func answer(on day: Int, at now: Date) {
        clock.set(now)
        for person in phones.indices {
            if illness[person] == day {
                phones[person].answer(
                    .init(feelingSick: true, hasBeenTested: true, testResult: true), at: now)
            } else if retraction[person] == day {
                phones[person].answer(.negative, at: now)
                retractions += 1
            }
        }
    }

    /// Phones post what they have to. Some requests don't arrive, and some answers don't.
    private mutating func post(on day: Int, at now: Date) async throws {
        clock.set(now)
        var sent: [(person: Int, post: FurtherPhone.Post)] = []
        for person in phones.indices {
            guard let post = phones[person].post(at: now, using: &random) else { continue }
            guard Double.random(in: 0..<1, using: &random) >= 0.1 else {
                lostRequests += 1
                continue
            }
            sent.append((person, post))
        }
        let (apps, keys) = (apps, keys)
        for start in stride(from: 0, to: sent.count, by: 16) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (person, post) in sent[start..<min(start + 16, sent.count)] {
                    group.addTask { try await Self.send(post, by: keys[person], to: apps, at: now) }
                }
                try await group.waitForAll()
            }
        }
        for (person, post) in sent {
            posts += 1
            let isPositive = illness[person].map { $0 <= day } == true && retraction[person].map { $0 <= day } != true
            oracle.take(from: person, isPositive: isPositive, at: now)
            guard Double.random(in: 0..<1, using: &random) >= 0.1 else {
                lostAnswers += 1
                continue
            }
            phones[person].confirm(post)
        }
    }

    private static func send(
        _ post: FurtherPhone.Post, by key: FurtherKey?, to apps: ServiceClient, at now: Date
    ) async throws {
        if post.isBatch {
            guard let batch = HealthBatch(post.reports) else { throw MalformedMessage() }
            _ = try await apps.call(FurtherAPI.batch, try SignedMessage(batch))
        } else {
            let message = try SignedMessage(post.reports[0])
            let route = FurtherAPI.report.route
            _ = try await apps.call(FurtherAPI.report, try key?.signed(message, to: route, at: now) ?? message)
        }
    }

    /// Phones for which it is time ask for the list. Some don't get it.
    private mutating func ask(at now: Date) async throws {
        clock.set(now)
        let listed = try await listed(at: now)
        for person in phones.indices {
            guard let question = phones[person].look(at: now, zone: 0) else { continue }
            guard Double.random(in: 0..<1, using: &random) >= 0.1 else {
                lostLists += 1
                continue
            }
            let before = told(person)
            let update = phones[person].receive(listed: listed, to: question, at: now)
            oracle.judge(person, toldOf: told(person).subtracting(before), counted: update.exposures, at: now)
        }
    }

    private func told(_ person: Int) -> Set<UUID> {
        Set(phones[person].contacts.contacts.filter(\.hasReceivedNotification).map(\.personUUID))
    }

    /// The ids of the list that the service has at an instant.
    private func listed(at now: Date) async throws -> Set<UUID> {
        try await Further.publish(
            asOf: now,
            ServiceRuntime(name: "further", settings: settings, clock: clock.clock, logger: Logger(label: "further")))
        let list = URL(filePath: settings["directory"] ?? "").appending(path: FurtherList.data.key.path)
        return Set(try JSONDecoder().decode([HealthReport].self, from: Data(contentsOf: list)).map(\.id))
    }
}
