import Calling
import Catalogue
import Credentials
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPContract
import HTTPTypes
import Phone
import Running
import SubmissionAPI
import Synchronization
import TestResultAPI
import Venues
import VerificationAPI

/// One positive test travels from the lab to a stranger's phone, through the suite's real interfaces.
package struct Story: Sendable {
    let stage: StoryStage
    let say: @Sendable (String) -> Void
    /// The apps of phones that donate data or report themselves.
    let genuine: GenuineApps
    private let policy: PublicationPolicy

    /// The services without which there is no story. Parts that need others are left out where those don't run.
    static let needs: [Catalogue.Service] = [
        .testResultServer, .verificationServer, .fold, .submissionServer, .distribution, .downloadServer,
        .metadataProxy,
    ]

    /// A step failed.
    package struct Failure: Error, CustomStringConvertible {
        /// 1...12.
        package let step: Int
        package let description: String
    }

    /// - Parameter say: receives one sentence at a time.
    package init(on stage: StoryStage, say: @escaping @Sendable (String) -> Void) {
        self.stage = stage
        self.say = say
        genuine = GenuineApps(stage.vouchers)
        policy = PublicationPolicy(minimumKeys: stage.minimumKeys)
    }

    /// Plays all steps.
    /// - Throws: ``Failure`` with the number of the step that failed.
    package func play() async throws {
        let start = stage.clock.now
        var phoneA = Phone(at: start)
        var phoneB = Phone(at: start)
        let phoneC = Phone(at: start)
        var phoneE = Phone(at: start)
        var phoneH = Phone(at: start)
        var phoneK = Phone(at: start)
        let today = Day(containing: start)
        let visitors = try VenueVisitors(before: start)
        let bar = Self.barVisit(at: visitors.noon)
        let guidA = HashedGUID(hashing: UUID().uuidString)
        let guidN = HashedGUID(hashing: UUID().uuidString)

        let before = try await step(1, "Phone A registers its test.") { () -> PublishedHours in
            try phoneA.meet(&phoneB, from: today.advanced(by: -2).noon, intervals: 2)
            try phoneA.meet(&phoneE, from: today.noon, intervals: 2)
            try phoneH.meet(&phoneK, from: today.advanced(by: -2).noon, intervals: 2)
            say("Phone A was near phone B for twenty minutes two days ago, and near phone E today; phone C met nobody.")
            say("Phones H and K were near each other two days ago, too.")
            say("Yesterday phones A and D checked in at a café at the same time; phone C was there three hours later.")
            say(
                "By posters that owners made in their browsers, phones V and W checked in at a concert, V and X at a choir."
            )
            return try await stage.closing.published()
        }
        let tokenA = try await step(1) { try await registerOnce(guidA) }
        var appA = try Sharer(phoneA, tokenA, consentAt: start)
        let sleeper = try await step(1) { () -> Sleeper? in
            var sleeper: Sleeper?
            try await part("a phone registers for silent pushes", needs: .pushDispatcher, .developmentAPNs) {
                sleeper = try await registerForPush()
            }
            return sleeper
        }
        try await step(2, "A lab posts results.") { try await postResults(positive: guidA, negative: guidN) }
        try await step(3, "The phones ask for their results.") {
            async let pretence: Void = pretend()
            try await askForResults(tokenA, negative: guidN)
            try await pretence
            say("Phone C, which has no test, sent the same requests as dummies: answered alike (201, 200, 201, 200).")
        }
        let reporter = phoneH
        let reports = stage.runs(.dataDonation) && stage.runs(.developmentAttestation)
        try await step(4, "Phones A and H warn others.") {
            let own = publishable(appA.phone.diagnosisKeys())
            async let crowd = uploadUntilEnough(published: own)
            async let report = beside { story in
                try await story.part(
                    "phone H reports without a registered test", needs: .dataDonation, .developmentAttestation
                ) { try await story.reportOneself(reporter) }
            }
            try await uploadOnce(&appA, visitors.a, at: start)
            tell(try await report)
            let (phones, keys) = try await crowd
            say(
                "\(phones) more phones uploaded with TANs, so that \(keys) keys may be published: nobody's stand alone."
            )
            try await shareVisits(visitors)
        }
        try await step(5, "Officers of the health authority help.") {
            try await part("an officer makes a teleTAN", needs: .healthPortal, .developmentIdentity) {
                try await uploadByTeleTAN()
            }
            try await part("a tracer enters a venue", needs: .healthPortal, .developmentIdentity) {
                try await enterVenue(visitors)
            }
            try await part("a contact tracing system uploads trace keys", needs: .healthPortal) {
                try await uploadTraceKeys(of: bar)
            }
        }
        try await step(6, "The hour passes.") { try await foldAndPublish(after: before) }
        let chunk = try await step(7, "Phone B is woken; all phones look for what is new.") {
            () -> PublishedHours.Name in
            if let sleeper { try await wake(sleeper) }
            try await configure()
            try await downloadDay(c: phoneC)
            let chunk = try await matchOnPhones(
                b: phoneB, c: phoneC, e: phoneE, k: phoneK, metKeys: (phoneA, reports ? reporter : nil), after: before)
            try await matchVisits(c: visitors.c, d: visitors.d, after: before)
            try await part("phone Y finds the tracer's entry", needs: .healthPortal, .developmentIdentity) {
                try await matchEvents(visitors)
            }
            return chunk
        }
        try await step(8, "The day ends on phone A.") {
            let before = try await stage.closing.published()
            let shared = try await uploadInBackground(&appA, keyOf: today)
            try await closeEmbargo(of: shared)
            try await matchDays(c: phoneC, e: phoneE, met: shared, after: before)
            try await matchReports(visitors)
            try await part("a phone finds the trace keys", needs: .healthPortal) {
                try await matchTraceKeys(of: bar)
            }
        }
        try await step(9, "Keys cross borders.") {
            let phoneA = appA.phone
            try await part("the exchange with another country", needs: .federation, .developmentGateway) {
                try await crossBorders(phoneA, h: reporter, ofTwoDaysBefore: today)
            }
        }
        try await step(10, "An operator looks into the chunk.") { try await inspect(chunk) }
        try await step(11, "Genuine apps take part in surveys and donate data.") {
            try await part("surveys and donations", needs: .dataDonation, .developmentAttestation) {
                try await donate()
            }
        }
        try await step(12, "People say how they are in the app Further.") {
            try await part("reports, and the list of ids", needs: .further) { try await reportHealth() }
        }
    }

    // MARK: Steps

    private func registerOnce(_ guid: HashedGUID) async throws -> RegistrationToken {
        let token = try await stage.apps.register(.guid(guid))
        say("It sent the hash of its GUID through the proxy and got a registration token (201).")
        async let result = stage.apps.testResult(token)
        try await expect(.badRequest, "another phone with the same QR code is refused") {
            _ = try await stage.apps.register(.guid(guid))
        }
        try require(try await result == .pcrPending, "its result should be pending")
        say("It polled: pending (0).")
        return token
    }

    /// The app of phone B from the moment its user switches exposure notifications off, with a visit in its diary.
    private func registerForPush() async throws -> Sleeper {
        var sleeper = Sleeper()
        try await sleeper.live([.checkedOut, .encounters(isOn: false)], on: stage)
        try require(sleeper.isRegistered, "phone B should be registered")
        sleeper.wakesBefore = try await stage.wakes(sleeper.token)
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

    /// What phone C sends, which has nothing to say, so that those who have don't stand out.
    private func pretend() async throws {
        try await stage.apps.pretendToRegister()
        try await stage.apps.pretendToAskForResult()
        try await stage.apps.pretendToAskForTAN()
        try await stage.apps.pretendToUpload()
    }

    /// Phone A's first upload: past keys, and a report of the visit that its owner selected.
    private func uploadOnce(_ app: inout Sharer, _ diary: CheckInDiary, at start: Date) async throws {
        let keys = app.phone.diagnosisKeys()
        var sharing = VisitSharing(diary, by: .shipped, onset: .unsaid, at: start)
        for visit in sharing.candidates { sharing.select(visit.id) }
        var random = SystemRandomNumberGenerator()
        let reports = try sharing.reports(using: &random).checkInReports
        guard let tan = try await app.run(at: start, reports: reports, on: stage) else {
            throw Unmet("phone A should upload its past keys")
        }
        say("Phone A got a TAN (201).")
        say(
            "It uploaded \(keys.count) diagnosis keys and the report of a visit, among \(reports.count - 1) random ones, through the proxy with it (200)."
        )
        async let again = stage.apps.upload(keys, reports: reports, tan: tan)
        try await expect(.forbidden, "the same TAN with another phone's keys is refused") {
            try await stage.apps.upload(Phone(at: stage.clock.now).diagnosisKeys(), tan: tan)
        }
        try require(try await again.savedCheckIns == reports.count, "the reports should be stored")
        say("The same upload again succeeds and changes nothing (200).")
    }

    /// - Returns: how many phones were needed, and how many keys may be published then.
    private func uploadUntilEnough(published own: Int) async throws -> (phones: Int, keys: Int) {
        var phones: [Phone] = []
        var waiting = own
        while waiting < stage.minimumKeys {
            let phone = Phone(at: stage.clock.now)
            phones.append(phone)
            waiting += publishable(phone.diagnosisKeys())
        }
        // All at once, because each waits for the proxy's deadline three times. There are about twenty uploads for 140 keys.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for phone in phones { group.addTask { try await testPositiveAndUpload(phone) } }
            try await group.waitForAll()
        }
        return (phones.count, waiting)
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
        let code = try await stage.officer.makeCode()
        let check = TeleTAN.checkCharacter(of: String(code.text.prefix(TeleTAN.randomCharacters)))
        try require(
            code.text.count == 10 && code.text.last == check, "the teleTAN should have 10 characters, the last a check")
        say(
            "The officer signed in at the health portal with a password and a one-time code, and made a code for a test."
        )
        say("The page showed 10 characters, whose check character is right. The officer read them out and signed out.")
        let token = try await stage.apps.register(.teleTAN(code))
        say("Phone T sent it through the proxy and got a registration token (201).")
        async let tan = stage.apps.tan(token)
        try await expect(.badRequest, "the same teleTAN a second time is refused") {
            _ = try await stage.apps.register(.teleTAN(code))
        }
        let keys = Phone(at: stage.clock.now).diagnosisKeys()
        try await stage.apps.upload(keys, tan: try await tan)
        say("It got a TAN (201) and uploaded \(keys.count) keys (200).")
    }

    private func foldAndPublish(after before: PublishedHours) async throws {
        let hour = stage.closing.hour(after: before)
        try await stage.closing.fold(hour.end)
        say("The fold opened the sealed uploads, sorted all keys and destroyed the hour's private key.")
        try await stage.closing.publish(hour.end)
        let files = try stage.publishedFiles()
        say("distribution publish --as-of \(hour.end.formatted(.iso8601)) wrote the tree: \(files.count) files.")
        try await stage.closing.publish(hour.end)
        try require(try stage.publishedFiles() == files, "a second run should change no byte")
        say("Running it again changed no byte.")
    }

    /// Waits until the simulated APNs has taken a push for phone B, whose app then does what the push is for.
    private func wake(_ sleeper: Sleeper) async throws {
        let deadline = ContinuousClock.now + Self.patience
        while try await stage.wakes(sleeper.token) == sleeper.wakesBefore {
            guard ContinuousClock.now < deadline else { throw Unmet("phone B should be woken") }
            try await Task.sleep(for: .milliseconds(100))
        }
        var sleeper = sleeper
        let actions = try await sleeper.live([.pushArrived], on: stage)
        try require(actions.contains(.synchronise), "the push should make phone B look for what is new")
        say("distribution announced the new hour, push-dispatcher sent a wave, and a silent push woke phone B.")
    }

    /// What an app fetches before anything else: how to compute risks.
    private func configure() async throws {
        do {
            let sizes = [
                try await stage.packages.configuration(for: "ios").count,
                try await stage.packages.configuration(for: "android").count,
            ]
            say(
                "They fetched the configuration for iOS (\(sizes[0]) bytes) and Android (\(sizes[1])): signed and valid."
            )
        } catch PackageClient.Failure.missing {
            say("They asked for a configuration; this suite publishes none (bash deploy/run.sh does).")
        }
    }

    /// What a phone that was away for a day fetches first: the keys of the last complete day, in one package.
    private func downloadDay(c phoneC: Phone) async throws {
        guard let day = try await stage.closing.published().days.last else {
            say("No day is complete yet, so there is no day package.")
            return
        }
        let keys = try await stage.packages.keys(of: day)
        try require(keys.count >= stage.minimumKeys, "a day should never have few keys")
        try require(phoneC.matches(among: keys).isEmpty, "phone C should find nothing in the day's package")
        say("They downloaded the package of the last complete day, \(day), with \(keys.count) keys.")
    }

    /// How long phone B may stay asleep after something new is published.
    private static let patience = Duration.seconds(60)

    /// - Returns: the chunk in which phone B found its match.
    private func matchOnPhones(
        b phoneB: Phone, c phoneC: Phone, e phoneE: Phone, k phoneK: Phone, metKeys met: (byB: Phone, byK: Phone?),
        after before: PublishedHours
    ) async throws -> PublishedHours.Name {
        let new = try await stage.closing.published().names.filter { !before.names.contains($0) }
        var found: (chunk: PublishedHours.Name, keys: Int, matches: [Matcher.Match])?
        var matchesOfK: [Matcher.Match] = []
        var downloaded = 0
        for name in new {
            let keys = try await stage.packages.keys(of: name.day, hour: name.hour)
            downloaded += keys.count
            try require(keys.isEmpty || keys.count >= stage.minimumKeys, "a chunk should never be small")
            try require(phoneC.matches(among: keys).isEmpty, "phone C should find nothing")
            try require(phoneE.matches(among: keys).isEmpty, "phone E should find nothing yet")
            matchesOfK += phoneK.matches(among: keys)
            let matches = phoneB.matches(among: keys)
            if !matches.isEmpty { found = (name, keys.count, matches) }
        }
        say("They downloaded the index and \(new.count) new chunk(s) with \(downloaded) keys; each signature is right.")
        guard let found else { throw Unmet("phone B should find its encounter") }
        try require(found.matches.count == 2, "phone B should find both intervals")
        func areKeys(_ matches: [Matcher.Match], of phone: Phone) -> Bool {
            matches.allSatisfy { match in phone.keys.contains { $0.data == match.key } }
        }
        try require(areKeys(found.matches, of: met.byB), "phone B should find phone A's key")
        if let phoneH = met.byK {
            try require(
                matchesOfK.count == 2 && areKeys(matchesOfK, of: phoneH),
                "phone K should find both intervals with phone H")
        } else {
            try require(matchesOfK.isEmpty, "phone K should find nothing of phone H, which uploaded nothing")
        }
        say("Phone B found on the device that it met somebody who tested positive, for 2 intervals, two days ago.")
        if met.byK != nil {
            say("Phone K found the same of phone H's owner, who reported without a registered test.")
        }
        say("Phone C found nothing.")
        say("Nor did phone E: phone A's key of today is still in use, and hasn't left it.")
        return found.chunk
    }

    private func matchVisits(c diaryC: CheckInDiary, d diaryD: CheckInDiary, after before: PublishedHours) async throws
    {
        guard let hours = try await stage.packages.reportHours() else { throw Unmet("there should be reports") }
        let now = stage.clock.now
        var (diaryC, diaryD) = (diaryC, diaryD)
        var downloaded = 0
        for hour in diaryD.due(.checkInReports, in: hours) where before.last.map({ hour > $0 }) ?? true {
            let reports = try await stage.packages.reports(of: hour)
            downloaded += reports.count
            diaryC.compare(with: reports, of: hour, at: now)
            diaryD.compare(with: reports, of: hour, at: now)
        }
        say("They downloaded \(downloaded) new reports of visits, which only visitors of the same place can read.")
        let exposures = VenueRisk(diaryD, by: .shipped, at: now).exposures
        try require(
            exposures.count == 1 && diaryD.news(by: .shipped, at: now).count == 1,
            "phone D should be warned of its visit")
        try require(diaryD.news(by: .shipped, at: now).isEmpty, "phone D should be warned once")
        say(
            "Phone D found that somebody who tested positive was at the café with it, and told its owner of a high risk."
        )
        try require(diaryC.news(by: .shipped, at: now).isEmpty, "phone C should not be warned")
        say("Phone C read the report as well: it was there later, and isn't warned.")
    }

    // MARK: The second upload

    /// Midnight comes for phone A, whose app uploads the day's own key in the background.
    ///
    /// The services' clocks needn't have reached midnight: they take keys of the present day, and hold them back.
    private func uploadInBackground(_ app: inout Sharer, keyOf day: Day) async throws -> DiagnosisKey {
        guard try await app.run(at: day.lastHour.end, on: stage) != nil else {
            throw Unmet("phone A should upload the day's key with a second TAN")
        }
        guard try app.isDone, let key = app.phone.diagnosisKeys(of: day...day, answeredOn: day).first else {
            throw Unmet("phone A should have uploaded everything")
        }
        say("At midnight UTC the system started its app, which had been closed, in the background.")
        say("The app got the second TAN of its test (201), and uploaded the key of the day that had ended (200).")
        return key
    }

    /// Closes the hours until nobody can pretend to be phone A with a key any more, and the key is published.
    private func closeEmbargo(of key: DiagnosisKey) async throws {
        let next = stage.closing.hour(after: try await stage.closing.published())
        guard let released = policy.releaseHour(of: key, submitted: next) else {
            throw Unmet("the day's key should be published")
        }
        let closed = try await stage.closing.close(through: released)
        say("\(closed.count) hour(s) passed, until two hours after the key's end. All were folded and published.")
    }

    /// Phone C and phone E look for what is new like phones that were away: in complete days, then in the hours of the day that isn't
    /// complete.
    private func matchDays(
        c phoneC: Phone, e phoneE: Phone, met key: DiagnosisKey, after before: PublishedHours
    ) async throws {
        let now = try await stage.closing.published()
        let days = now.days.filter { !before.days.contains($0) }
        let hours = now.names.filter { !before.names.contains($0) && !now.days.contains($0.day) }
        var keys: [ExportedKey] = []
        for day in days {
            let ofDay = try await stage.packages.keys(of: day)
            let isOwnDay = Day(name: day)?.firstInterval == key.rollingPeriod.start
            try require(
                !(isOwnDay && ofDay.contains { $0.data == key.data }), "no key should be published while it is in use")
            keys += ofDay
        }
        for hour in hours { keys += try await stage.packages.keys(of: hour.day, hour: hour.hour) }
        say("The phones downloaded \(days.count) new day(s) and \(hours.count) hour(s) since, with \(keys.count) keys.")
        try require(phoneC.matches(among: keys).isEmpty, "phone C should find nothing")
        let matches = phoneE.matches(among: keys)
        try require(
            matches.count == 2 && matches.allSatisfy { $0.key == key.data }, "phone E should find both intervals")
        say("Phone E found on the device that it met phone A's owner for 2 intervals, on the day of the first upload.")
    }

    private func inspect(_ chunk: PublishedHours.Name) async throws {
        let suffix = "\(stage.country.origin)/date/\(chunk.day)/hour/\(chunk.hour)"
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

    /// Plays a part; or says that it is left out, if a service that it needs doesn't run.
    func part(
        _ what: String, needs services: Catalogue.Service..., play: () async throws -> Void
    ) async throws {
        guard let absent = services.first(where: { !stage.runs($0) }) else { return try await play() }
        say("Not there: \(absent.name) doesn't run. Left out: \(what).")
    }

    /// Plays a part beside others, so that it takes no longer.
    /// - Returns: what there is to say of it.
    func beside(_ part: @Sendable (Story) async throws -> Void) async throws -> [String] {
        let sentences = Mutex<[String]>([])
        try await part(Story(on: stage) { sentence in sentences.withLock { $0.append(sentence) } })
        return sentences.withLock { $0 }
    }

    func tell(_ sentences: [String]) {
        for sentence in sentences { say(sentence) }
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

    func require(_ condition: Bool, _ expectation: String) throws {
        guard condition else { throw Unmet(expectation) }
    }

    func expect(
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

extension Day {
    /// The interval that begins at noon UTC.
    var noon: IntervalNumber {
        IntervalNumber(rawValue: firstInterval.rawValue + IntervalNumber.perDay / 2)
    }
}

/// An expectation of the story that wasn't met.
struct Unmet: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
