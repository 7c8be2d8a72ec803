import Calling
import Credentials
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPContract
import HTTPTypes
import Phone
import Running
import TestResultAPI
import VerificationAPI

/// One positive test travels from the lab to a stranger's phone, through the suite's real interfaces.
package struct Story: Sendable {
    private let stage: StoryStage
    private let say: @Sendable (String) -> Void
    private let policy: PublicationPolicy

    /// A step that didn't go as it should.
    package struct Failure: Error, CustomStringConvertible {
        /// 1...8.
        package let step: Int
        package let description: String
    }

    /// - Parameter say: receives one sentence at a time.
    package init(on stage: StoryStage, say: @escaping @Sendable (String) -> Void) {
        self.stage = stage
        self.say = say
        policy = PublicationPolicy(minimumKeys: stage.minimumKeys)
    }

    /// Plays all steps.
    /// - Throws: ``Failure`` with the number of the step that failed.
    package func play() async throws {
        let start = stage.clock.now
        var phoneA = Phone(at: start)
        var phoneB = Phone(at: start)
        let phoneC = Phone(at: start)
        let guidA = HashedGUID(hashing: UUID().uuidString)
        let guidN = HashedGUID(hashing: UUID().uuidString)

        let before = try await step(1, "Phone A registers its test.") { () -> PublishedHours in
            let noon = Day(containing: start).advanced(by: -2).firstInterval.rawValue + IntervalNumber.perDay / 2
            try phoneA.meet(&phoneB, from: IntervalNumber(rawValue: noon), intervals: 2)
            say("Two days ago phone A and phone B were near each other for twenty minutes; phone C met nobody.")
            return try await publishedHours()
        }
        let tokenA = try await step(1) { try await registerOnce(guidA) }
        let sleeper = try await step(1) { try await registerForPush() }
        try await step(2, "A lab posts results.") { try await postResults(positive: guidA, negative: guidN) }
        try await step(3, "The phones ask for their results.") { try await askForResults(tokenA, negative: guidN) }
        let waiting = try await step(4, "Phone A warns others.") { () -> Int in
            let own = try await uploadOnce(phoneA.diagnosisKeys(), tokenA)
            return try await uploadUntilEnough(published: own)
        }
        try await step(5, "A health officer helps phone T by telephone.") { try await uploadByTeleTAN() }
        try await step(6, "The hour passes.") { try await foldAndPublish(after: before.last, waiting: waiting) }
        let chunk = try await step(7, "Phone B is woken; phones B and C look for what is new.") {
            () -> PublishedHours.Name in
            try await wake(sleeper)
            return try await matchOnPhones(b: phoneB, c: phoneC, metKeys: phoneA, after: before)
        }
        try await step(8, "An operator looks into the chunk.") { try await inspect(chunk) }
    }

    // MARK: Steps

    private func registerOnce(_ guid: HashedGUID) async throws -> RegistrationToken {
        let token = try await stage.apps.register(.guid(guid))
        say("It sent the hash of its GUID through the proxy and got a registration token (201).")
        try await expect(.badRequest, "another phone with the same QR code is refused") {
            _ = try await stage.apps.register(.guid(guid))
        }
        try require(try await stage.apps.testResult(token) == .pcrPending, "its result should be pending")
        say("It polled: pending (0).")
        return token
    }

    /// Phone B's app from when its user switches exposure notifications off, with a visit in its diary.
    private func registerForPush() async throws -> Sleeper {
        var sleeper = Sleeper()
        try await sleeper.live([.checkedOut, .encounters(isOn: false)], on: stage)
        try require(sleeper.isRegistered, "phone B should be registered")
        try require(try await stage.wakes(sleeper.token) == 0, "phone B should sleep")
        say("Phone B was at a venue, switched encounters off, and registered for silent pushes (200). It sleeps.")
        return sleeper
    }

    private func postResults(positive: HashedGUID, negative: HashedGUID) async throws {
        _ = try await stage.lab.call(
            TestResultAPI.labResults,
            LabResults(
                testResults: [
                    LabResults.Result(id: ResultID(positive), result: .pcrPositive, sampleCollected: nil),
                    LabResults.Result(id: ResultID(negative), result: .pcrNegative, sampleCollected: nil),
                ], labID: "lab-1"))
        say("It sent two hashed GUIDs, one positive, one negative, in one batch to the test result server (204).")
    }

    private func askForResults(_ tokenA: RegistrationToken, negative guidN: HashedGUID) async throws {
        try require(try await stage.apps.testResult(tokenA) == .pcrPositive, "phone A should be positive")
        say("Phone A polled: positive (2).")
        let tokenN = try await stage.apps.register(.guid(guidN))
        try require(try await stage.apps.testResult(tokenN) == .pcrNegative, "phone N should be negative")
        say("Phone N registered and polled: negative (1).")
        try await expect(.badRequest, "phone N is refused a TAN") { _ = try await stage.apps.tan(tokenN) }
    }

    /// - Returns: how many of the keys the policies will let through.
    private func uploadOnce(_ keys: [DiagnosisKey], _ token: RegistrationToken) async throws -> Int {
        let tan = try await stage.apps.tan(token)
        say("Phone A got a TAN (201).")
        try require(try await stage.apps.tan(token) == tan, "a repeat should give the same TAN")
        try await stage.apps.upload(keys, tan: tan)
        say("It uploaded \(keys.count) diagnosis keys through the proxy with it (200).")
        try await expect(.forbidden, "the same TAN with another phone's keys is refused") {
            try await stage.apps.upload(Phone(at: stage.clock.now).diagnosisKeys(), tan: tan)
        }
        try await stage.apps.upload(keys, tan: tan)
        say("The same upload again succeeds and changes nothing (200).")
        return publishable(keys)
    }

    private func uploadUntilEnough(published own: Int) async throws -> Int {
        var phones: [Phone] = []
        var waiting = own
        while waiting < stage.minimumKeys {
            let phone = Phone(at: stage.clock.now)
            phones.append(phone)
            waiting += publishable(phone.diagnosisKeys())
        }
        // All at once, because each waits for the proxy's moment three times. There are about twenty for 140 keys.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for phone in phones { group.addTask { try await testPositiveAndUpload(phone) } }
            try await group.waitForAll()
        }
        say("\(phones.count) more phones did the same, so that \(waiting) keys may be published: nobody's stand alone.")
        return waiting
    }

    private func testPositiveAndUpload(_ phone: Phone) async throws {
        let guid = HashedGUID(hashing: UUID().uuidString)
        let token = try await stage.apps.register(.guid(guid))
        _ = try await stage.lab.call(
            TestResultAPI.labResults,
            LabResults(
                testResults: [
                    LabResults.Result(id: ResultID(guid), result: .pcrPositive, sampleCollected: nil)
                ], labID: "lab-2"))
        try await stage.apps.upload(phone.diagnosisKeys(), tan: try await stage.apps.tan(token))
    }

    private func uploadByTeleTAN() async throws {
        let code = try await stage.portal.call(
            VerificationAPI.teleTAN, TeleTANRequest(officerToken: stage.officerToken, kind: .test)
        ).value
        let check = TeleTAN.checkCharacter(of: String(code.text.prefix(TeleTAN.randomCharacters)))
        try require(
            code.text.count == 10 && code.text.last == check, "the teleTAN should have 10 characters, the last a check")
        say("The officer asked for a teleTAN and read out 10 characters, whose check character is right (201).")
        let token = try await stage.apps.register(.teleTAN(code))
        say("Phone T sent it through the proxy and got a registration token (201).")
        try await expect(.badRequest, "the same teleTAN a second time is refused") {
            _ = try await stage.apps.register(.teleTAN(code))
        }
        let keys = Phone(at: stage.clock.now).diagnosisKeys()
        try await stage.apps.upload(keys, tan: try await stage.apps.tan(token))
        say("It got a TAN (201) and uploaded \(keys.count) keys (200).")
    }

    private func foldAndPublish(after last: Hour?, waiting: Int) async throws {
        let present = Hour(containing: stage.clock.now)
        let hour = last.map { max(present, $0.advanced(by: 1)) } ?? present
        try await stage.fold(hour.end)
        say("The fold opened the sealed uploads, sorted all keys and destroyed the hour's private key.")
        try await stage.publish(hour.end)
        let files = try stage.publishedFiles()
        say("distribution publish --as-of \(hour.end.formatted(.iso8601)) wrote the tree: \(files.count) files.")
        try await stage.publish(hour.end)
        try require(try stage.publishedFiles() == files, "a second run should change no byte")
        say("Running it again changed no byte.")
    }

    /// Waits until Apple's service has taken a push for phone B, whose app then does what the push is for.
    private func wake(_ sleeper: Sleeper) async throws {
        let deadline = ContinuousClock.now + Self.patience
        while try await stage.wakes(sleeper.token) == 0 {
            guard ContinuousClock.now < deadline else { throw Unmet("phone B should be woken") }
            try await Task.sleep(for: .milliseconds(100))
        }
        var sleeper = sleeper
        let actions = try await sleeper.live([.pushArrived], on: stage)
        try require(actions.contains(.synchronise), "the push should make phone B look for what is new")
        say("distribution announced the new hour, push-dispatcher sent a wave, and a silent push woke phone B.")
    }

    /// How long phone B may be left asleep when something new is out.
    private static let patience = Duration.seconds(60)

    /// - Returns: the chunk in which phone B found its match.
    private func matchOnPhones(
        b phoneB: Phone, c phoneC: Phone, metKeys phoneA: Phone, after before: PublishedHours
    ) async throws -> PublishedHours.Name {
        let new = try await publishedHours().names.filter { !before.names.contains($0) }
        var found: (chunk: PublishedHours.Name, keys: Int, matches: [Matcher.Match])?
        var downloaded = 0
        for name in new {
            let keys = try await stage.packages.keys(of: name.day, hour: name.hour)
            downloaded += keys.count
            try require(keys.isEmpty || keys.count >= stage.minimumKeys, "a chunk should never be small")
            try require(phoneC.matches(among: keys).isEmpty, "phone C should find nothing")
            let matches = phoneB.matches(among: keys)
            if !matches.isEmpty { found = (name, keys.count, matches) }
        }
        say("They downloaded the index and \(new.count) new chunk(s) with \(downloaded) keys; each signature is right.")
        guard let found else { throw Unmet("phone B should find its encounter") }
        try require(found.matches.count == 2, "phone B should find both intervals")
        try require(
            found.matches.allSatisfy { match in phoneA.keys.contains { $0.data == match.key } },
            "phone B should find phone A's key")
        say("Phone B found on the device that it met somebody who tested positive, for 2 intervals, two days ago.")
        say("Phone C found nothing.")
        return found.chunk
    }

    private func inspect(_ chunk: PublishedHours.Name) async throws {
        let suffix = "DE/date/\(chunk.day)/hour/\(chunk.hour)"
        guard let (path, archive) = try stage.publishedFiles().first(where: { $0.key.hasSuffix(suffix) }) else {
            throw Unmet("the chunk should be a published file")
        }
        let intact = try await stage.inspect(archive)
        try require(intact.exitStatus == 0, "vigil inspect should find the chunk intact")
        say("vigil inspect \(path):")
        for line in intact.output.split(separator: "\n") { say("    \(line)") }
        var damaged = archive
        damaged[damaged.startIndex + damaged.count / 2] ^= 0x40
        let verdict = try await stage.inspect(damaged)
        try require(verdict.exitStatus == 1, "vigil inspect should refuse a damaged chunk")
        say("With one bit changed in the middle it says:")
        for line in verdict.output.split(separator: "\n") { say("    \(line)") }
    }

    // MARK: Helpers

    /// How many keys an hour's package may contain if they are folded into the present hour.
    private func publishable(_ keys: [DiagnosisKey]) -> Int {
        let hour = Hour(containing: stage.clock.now)
        return keys.count { key in
            policy.releaseHour(of: key, submitted: hour).map { $0 <= hour } ?? false
        }
    }

    private func publishedHours() async throws -> PublishedHours {
        try await PublishedHours(of: stage.packages, today: Day(containing: stage.clock.now))
    }

    private func step<Result: Sendable>(
        _ number: Int, _ title: String? = nil, _ body: () async throws -> Result
    ) async throws -> Result {
        if let title { say("\(number). \(title)") }
        do {
            return try await body()
        } catch {
            throw Failure(step: number, description: "Step \(number) failed: \(Self.reason(error))")
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let unmet as Unmet: "\(unmet)"
        case CallError.refused(let status): "the answer was \(status.code)"
        case let call as CallError: "the call failed: \(call)"
        case let problem as any OperatorProblem: "\(problem)"
        case let damage as ArchiveDamage: "\(damage)"
        default: "\(type(of: error)): \(error)"
        }
    }

    private func require(_ condition: Bool, _ expectation: String) throws {
        guard condition else { throw Unmet(expectation) }
    }

    private func expect(
        _ status: HTTPResponse.Status, _ sentence: String, _ body: () async throws -> Void
    ) async throws {
        do {
            try await body()
        } catch CallError.refused(status) {
            say("\(sentence.prefix(1).uppercased())\(sentence.dropFirst()) (\(status.code)).")
            return
        }
        throw Unmet("\(sentence), but it was not")
    }
}

/// An expectation of the story that wasn't met.
private struct Unmet: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The hours in the published index.
struct PublishedHours: Sendable {
    struct Name: Hashable, Sendable {
        /// `yyyy-MM-dd`.
        let day: String
        /// 0...23.
        let hour: Int
    }

    let names: [Name]
    /// The last of them; nil when nothing is published.
    let last: Hour?

    /// Reads the indexes of the complete days, and of the day behind them, which is still being filled.
    init(of packages: PackageClient, today: Day) async throws {
        let complete = try await Self.orEmpty { try await packages.days() }.compactMap { Day(name: $0) }
        let open = complete.max().map { $0.advanced(by: 1) } ?? today
        var names: [(Name, Hour)] = []
        for day in Set(complete + [open, today]).sorted() {
            for hour in try await Self.orEmpty({ try await packages.hours(of: day.name) }) {
                names.append((Name(day: day.name, hour: hour), day.firstHour.advanced(by: hour)))
            }
        }
        self.names = names.map(\.0)
        last = names.map(\.1).max()
    }

    /// A missing index names nothing.
    private static func orEmpty<Element>(_ index: () async throws -> [Element]) async throws -> [Element] {
        do {
            return try await index()
        } catch PackageClient.Failure.missing {
            return []
        }
    }
}
