import AuditFormat
import Foundation
import Postgres
import Running
import Schema
import TestSupport
import Testing
import VenueEventFormat
import Venues

@testable import HealthPortal

/// A tracer enters a venue, and a second person decides.
@Suite(.serialized, .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"), .timeLimit(.minutes(10)))
struct VenueEntryTests {
    static let ada = TestProvider.Officer(roles: ["vigil_venue_author", "vigil_venue_approver"])
    static let grace = TestProvider.Officer(
        subject: "officer-2", name: "Grace Hopper", roles: ["vigil_venue_approver"], session: "session-2")
    static let number = "9429300000007"
    /// In the morning of the stage's day, in Berlin.
    static let entry = [
        "number": number, "start": "2026-05-26T09:00", "end": "2026-05-26T10:30", "severity": "test",
        "message": "take-test", "tags": "",
    ]

    struct Row: Equatable {
        let id: UUID
        let tags: [[UInt8]]
        let start: Int32
        let end: Int32
        let state: Int16
        let revision: Int32
    }

    static func rows(_ stage: PortalStage) async throws -> [Row] {
        try await TestPostgres.withClient(stage.database.superuserConnection) { client in
            try await client.session { session in
                try session.rows(
                    """
                    SELECT event_id, tags, start_interval, end_interval, state, revision FROM venues.event
                    ORDER BY start_interval, event_id
                    """, as: UUID.self, [[UInt8]].self, Int32.self, Int32.self, Int16.self, Int32.self)
            }
        }.map { Row(id: $0.0, tags: $0.1, start: $0.2, end: $0.3, state: $0.4, revision: $0.5) }
    }

    @Test func `an entry by number waits, with its tag and its times by the authority's clock`() async throws {
        try await PortalStage.run { stage in
            var browser = try await stage.officer(Self.ada)
            let answer = try await browser.enter(Self.entry)
            #expect(answer.status == 303)
            #expect(answer.fields["location"] == ["/venues"])
            let row = try #require(try await Self.rows(stage).first)
            #expect(row.tags == [try #require(GlobalLocationNumber(Self.number)).tag.bytes])
            // Berlin is two hours ahead of UTC.
            #expect(row.start == 1_779_778_800 / 600)
            #expect(row.end == 1_779_784_200 / 600)
            #expect(row.state == 0)
            // The number itself is nowhere.
            let text = try await TestPostgres.withClient(stage.database.superuserConnection) { client in
                try await client.session { try $0.rows("SELECT row::text FROM venues.event AS row", as: String.self) }
            }.joined()
            for hidden in [Self.number, "officer-1", "Ada"] { #expect(!text.contains(hidden)) }
            let page = try await browser.get("/venues").body
            #expect(page.contains(Words.german.venues.stateName(.waiting)))
            #expect(page.contains(Words.german.venues.own))
            #expect(!page.contains("value=\"approve\""))
        }
    }

    @Test func `of the tags that a poster's script derived, those of the days that count are stored`() async throws {
        let keys = try #require(VenueSeed(Array(UInt8(0)..<32))).keys
        try await PortalStage.run { stage in
            var browser = try await stage.officer(Self.ada)
            // 25 May, 23:00 in UTC, to 26 May, 04:00.
            let days: ClosedRange<UInt32> = 20_597...20_600
            var entry = Self.entry
            entry["number"] = ""
            entry["start"] = "2026-05-26T01:00"
            entry["end"] = "2026-05-26T06:00"
            entry["tags"] = days.map { "\($0):\(keys.tag(onDay: $0).hex)" }.joined(separator: ",")
            #expect(try await browser.enter(entry).status == 303)
            #expect(
                try await Self.rows(stage).first?.tags
                    == [keys.tag(onDay: 20_598).bytes, keys.tag(onDay: 20_599).bytes])
        }
    }

    @Test func `what is no entry comes back with what to correct, and stores nothing`() async throws {
        let texts = Words.german.venues
        let wrong: [([String: String], String)] = [
            (["number": ""], texts.problem(.venue)), (["number": "9429300000008"], texts.problem(.number)),
            (["number": "<b>\"'"], texts.problem(.number)), (["start": "yesterday"], texts.problem(.time)),
            (["start": "2026-02-30T10:00"], texts.problem(.time)), (["end": "26.05.2026"], texts.problem(.time)),
            // Clocks went from 02:00 to 03:00.
            (["start": "2026-03-29T02:30"], texts.problem(.time)),
            (["start": "2026-05-26T09:05"], texts.problem(.window(.offGrid))),
            (["end": "2026-05-26T09:00"], texts.problem(.window(.reversed))),
            (["start": "2026-05-25T09:00"], texts.problem(.window(.tooLong))),
            (["start": "2026-05-11T09:00", "end": "2026-05-11T10:00"], texts.problem(.window(.tooOld))),
            (["end": "2026-05-26T14:10"], texts.problem(.window(.future))),
            (["tags": "20599:\(String(repeating: "0a", count: 32))"], texts.problem(.venue)),
        ]
        try await PortalStage.run { stage in
            var browser = try await stage.officer(Self.ada)
            for (changes, text) in wrong {
                let answer = try await browser.enter(Self.entry.merging(changes) { $1 })
                #expect(answer.status == 400, "\(changes)")
                #expect(answer.body.contains(text.replacing("'", with: "&#39;")), "\(changes)")
                #expect(!answer.body.contains("<b>"))
            }
            let malformed: [[String: String]] = [
                ["severity": "panic"], ["message": "Ada Amt"], ["form": "x"], ["number": "", "tags": "x"],
                ["number": "", "tags": "20599:0a"], ["number": "", "tags": "1:\(String(repeating: "0a", count: 32))"],
                ["number": "", "tags": "20599:\(String(repeating: "0a", count: 48))"],
                ["number": "", "tags": "-1:\(String(repeating: "0a", count: 32))"],
            ]
            for changes in malformed {
                let answer = try await browser.enter(Self.entry.merging(changes) { $1 })
                #expect(answer.status == 400, "\(changes)")
                #expect(answer.refusal == "malformed", "\(changes)")
            }
            #expect(try await Self.rows(stage).isEmpty)
        }
    }

    @Test func `a form makes one entry, however often it is sent, and never another`() async throws {
        try await PortalStage.run(replicas: 2) { stage in
            var browser = try await stage.officer(Self.ada)
            let form = try await browser.venueForm()
            let entry = Self.entry.merging(["form": form]) { $1 }
            let browsers = (0..<8).map { number in
                var other = browser
                other.base = stage.bases[number % 2]
                return other
            }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for var other in browsers {
                    group.addTask { try await other.post("/venues", entry).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0 == 303 })
            #expect(try await Self.rows(stage).count == 1)
            let other = try await browser.post("/venues", entry.merging(["severity": "inform"]) { $1 })
            #expect(other.status == 409)
            #expect(other.refusal == "entryUsed")
            // The same form after a decision.
            var approver = try await stage.officer(Self.grace)
            let id = try #require(try await Self.rows(stage).first).id
            for decision in ["approve", "revoke"] {
                #expect(try await approver.decide(id, decision).status == 303)
                #expect(try await browser.post("/venues", entry).status == 303)
            }
            #expect(try await Self.rows(stage).count == 1)
            // Another officer's session makes another entry of the same form.
            var stranger = try await stage.officer(
                .init(subject: "officer-3", roles: ["vigil_venue_author"], session: "session-3"))
            #expect(try await stranger.post("/venues", entry).status == 303)
            #expect(try await Self.rows(stage).count == 2)
        }
    }

    @Test func `a second person approves once, however often, and revokes`() async throws {
        try await PortalStage.run { stage in
            var author = try await stage.officer(Self.ada)
            _ = try await author.enter(Self.entry)
            let id = try #require(try await Self.rows(stage).first).id
            for decision in ["approve", "refuse"] {
                let own = try await author.decide(id, decision)
                #expect(own.status == 403)
                #expect(own.refusal == "ownEntry")
            }
            var approver = try await stage.officer(Self.grace)
            #expect(try await approver.get("/venues").body.contains("value=\"approve\""))
            #expect(try await approver.decide(id, "revoke").status == 400)
            for _ in 0..<3 { #expect(try await approver.decide(id, "approve").status == 303) }
            // Whoever sends what is so already hears that it is so.
            #expect(try await author.decide(id, "approve").status == 303)
            let late = try await approver.decide(id, "refuse")
            #expect(late.status == 409)
            #expect(late.refusal == "decided")
            #expect(try await Self.rows(stage).map(\.state) == [1])
            for _ in 0..<2 { #expect(try await author.decide(id, "revoke").status == 303) }
            let row = try #require(try await Self.rows(stage).first)
            #expect((row.state, row.revision, row.tags) == (3, 2, []))
            #expect(try await approver.decide(id, "approve").refusal == "decided")
            #expect(try await approver.get("/venues").body.contains(Words.german.venues.stateName(.revoked)))
        }
    }

    @Test func `each role may do what it is for, and nobody else anything`() async throws {
        try await PortalStage.run { stage in
            var author = try await stage.officer(.init(roles: ["vigil_venue_author"]))
            _ = try await author.enter(Self.entry)
            let id = try #require(try await Self.rows(stage).first).id
            #expect(try await author.decide(id, "approve").refusal == "noRole")
            #expect(!(try await author.get("/venues").body.contains("/venues/decision")))
            var approver = try await stage.officer(Self.grace)
            #expect(try await approver.get("/venues/new").status == 403)
            #expect(try await approver.get("/venues/import").status == 403)
            let form = try await author.venueForm()
            #expect(
                try await approver.post("/venues", Self.entry.merging(["form": form]) { $1 }).refusal == "noRole")
            #expect(
                try await approver.post("/venues/import", ["form": form, "file": "x", "message": "take-test"]).refusal
                    == "noRole")
            var hotline = try await stage.officer(.init(subject: "officer-4", session: "session-4"))
            var stranger = stage.browser()
            for path in ["/venues", "/venues/new", "/venues/import"] {
                #expect(try await hotline.get(path).refusal == "noRole")
                #expect(try await stranger.get(path).refusal == "notSignedIn")
                #expect(try await stranger.post(path == "/venues/new" ? "/venues" : path).status == 403)
            }
            #expect(try await hotline.decide(id, "approve").refusal == "noRole")
            #expect(try await stranger.decide(id, "approve").refusal == "notSignedIn")
            #expect(try await Self.rows(stage).map(\.state) == [0])
            // Another site's form.
            let other = try await approver.ask(
                .POST, "/venues/decision", form: ["event": id.uuidString, "decision": "approve"],
                headers: [("sec-fetch-site", "cross-site")])
            #expect(other.status == 403)
            #expect(try await approver.decide(UUID(), "approve").status == 404)
            for (event, decision) in [("x", "approve"), (id.uuidString, "publish"), (id.uuidString, "")] {
                let answer = try await approver.post("/venues/decision", ["event": event, "decision": decision])
                #expect(answer.status == 400)
            }
            #expect(try await Self.rows(stage).map(\.state) == [0])
        }
    }

    @Test func `only the form of an entry may ask for the camera`() async throws {
        try await PortalStage.run { stage in
            var author = try await stage.officer(Self.ada)
            for (path, allowed) in [("/venues/new", true), ("/venues", false), ("/venues/import", false)] {
                let policy = try #require(try await author.get(path).fields["permissions-policy"].first)
                #expect(policy.contains("camera=(self)") == allowed)
                #expect(policy.contains("camera=()") != allowed)
                #expect(policy.contains("microphone=()"))
            }
        }
    }

    @Test func `a file is imported as a whole, once, or not at all`() async throws {
        let header = "# venue_id, start_time, end_time, message_type, optional_parameter"
        let line = #""9429300000007", "2026-05-25T10:00:00Z", "2026-05-25T12:30:00Z", "M2", """#
        try await PortalStage.run { stage in
            var author = try await stage.officer(Self.ada)
            let page = try await author.get("/venues/import").body
            let form = try #require(page.firstMatch(of: /name="form" value="([0-9a-f]+)"/)?.1).description
            let wrong = try await author.post(
                "/venues/import",
                ["form": form, "message": "take-test", "file": "\(header)\r\n\(line)\r\n<b>\"M2\""])
            #expect(wrong.status == 400)
            #expect(wrong.body.contains("\(Words.german.venues.line(3)): \(Words.german.venues.reason(.columns))"))
            #expect(!wrong.body.contains("<b>"))
            #expect(try await Self.rows(stage).isEmpty)
            let file = [header, line, line.replacing("9429300000007", with: "4012345000009")].joined(separator: "\r\n")
            for _ in 0..<3 {
                let answer = try await author.post(
                    "/venues/import", ["form": form, "message": "take-test", "file": file])
                #expect(answer.status == 303)
            }
            let rows = try await Self.rows(stage)
            #expect(rows.count == 2)
            #expect(rows.allSatisfy { $0.state == 0 && $0.start == 2_966_172 })
            let other = try await author.post(
                "/venues/import", ["form": form, "message": "take-test", "file": "\(header)\n\(line)"])
            // One of its two entries is known, and has the same values.
            #expect(other.status == 303)
            #expect(try await Self.rows(stage) == rows)
            // Lines belong into this field only.
            let lines = try await author.post(
                "/venues/import", ["form": "\(form)\n", "message": "take-test", "file": file])
            #expect(lines.status == 400)
            var randomness = SeededGenerator(seed: 0x7665_6e75)
            for _ in 0..<50 {
                let answer = try await author.post(
                    "/venues/import",
                    ["form": form, "message": "take-test", "file": file.mutated(using: &randomness)])
                #expect([303, 400, 409].contains(answer.status))
            }
        }
    }

    /// A file for an import, each line at a time of its own.
    private static func file(lines count: Int) -> String {
        let lines = (0..<count).map { line in
            // From the midnight before the stage's day on.
            let start = PortalStage.start.addingTimeInterval(Double(line) * 600 - 129_600)
            let times = [start, start.addingTimeInterval(3600)].map { "\"\($0.formatted(.iso8601))\"" }
            return "\"\(number)\", \(times.joined(separator: ", ")), \"M2\", \"\""
        }
        let header = "# venue_id, start_time, end_time, message_type, optional_parameter"
        return ([header] + lines).joined(separator: "\r\n")
    }

    @Test func `a file of 50 lines is taken, one line more is told, and what is longer than any form has a page`()
        async throws
    {
        try await PortalStage.run { stage in
            var author = try await stage.officer(Self.ada)
            let page = try await author.get("/venues/import").body
            let form = try #require(page.firstMatch(of: /name="form" value="([0-9a-f]+)"/)?.1).description
            func post(_ count: Int) async throws -> Answer {
                try await author.post(
                    "/venues/import", ["form": form, "message": "take-test", "file": Self.file(lines: count)])
            }
            let texts = Words.german.venues
            let tooMany = try await post(VenueImport.limit + 1)
            #expect(tooMany.status == 400 && tooMany.refusal == nil)
            #expect(tooMany.body.contains("\(texts.line(52)): \(texts.reason(.count))"))
            let longer = try await post(80)
            #expect(longer.status == 400 && longer.refusal == "malformed")
            #expect(try await Self.rows(stage).isEmpty)
            #expect(try await post(VenueImport.limit).status == 303)
            #expect(try await Self.rows(stage).count == 50)
        }
    }

    @Test func `a modified form ends in a page or in the list`() async throws {
        try await PortalStage.run { stage in
            var author = try await stage.officer(Self.ada)
            let form = try await author.venueForm()
            var randomness = SeededGenerator(seed: 0x6d75_7461)
            for _ in 0..<60 {
                var entry = Self.entry.merging(["form": form]) { $1 }
                let field = try #require(entry.keys.sorted().randomElement(using: &randomness))
                entry[field] = (entry[field] ?? "").mutated(using: &randomness)
                let answer = try await author.post("/venues", entry)
                #expect([303, 400, 409].contains(answer.status), "\(entry)")
            }
        }
    }

    @Test func `who entered and who decided is sealed to the auditor, once`() async throws {
        let auditor = AuditorKey()
        let file = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString).pub")
        let digits = auditor.publicKey.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        try Data(digits.joined().utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await PortalStage.run(settings: ["audit.key": file.path]) { stage in
            var author = try await stage.officer(Self.ada)
            var approver = try await stage.officer(Self.grace)
            let form = try await author.venueForm()
            for _ in 0..<2 { _ = try await author.post("/venues", Self.entry.merging(["form": form]) { $1 }) }
            let id = try #require(try await Self.rows(stage).first).id
            _ = try await author.decide(id, "approve")
            for decision in ["approve", "approve", "refuse", "revoke", "revoke"] {
                _ = try await approver.decide(id, decision)
            }
            let rows = try await TestPostgres.withClient(stage.database.superuserConnection) { client in
                try await client.session {
                    try $0.rows("SELECT day, sealed FROM health_portal.audit", as: Int32.self, [UInt8].self)
                }
            }
            let opened = rows.compactMap { row in
                SealedEntry(bytes: row.1).flatMap { auditor.open($0, day: row.0) }
            }
            let day = Int32(PortalStage.start.timeIntervalSince1970 / 86_400)
            #expect(rows.count == 3)
            #expect(
                Set(opened) == [
                    AuditEntry(day: day, .enter, on: id, subject: "officer-1"),
                    AuditEntry(day: day, .approve, on: id, subject: "officer-2"),
                    AuditEntry(day: day, .revoke, on: id, subject: "officer-2"),
                ])
            // A decision whose entry can't be stored isn't made.
            _ = try await author.enter(Self.entry)
            let waiting = try #require(try await Self.rows(stage).first { $0.state == 0 }).id
            try await TestPostgres.withClient(stage.database.superuserConnection) { superuser in
                _ = try await superuser.session {
                    try $0.execute("REVOKE INSERT ON health_portal.audit FROM vigil_health_portal")
                }
            }
            #expect(try await approver.decide(waiting, "approve").status >= 500)
            #expect(try await author.enter(Self.entry).status >= 500)
            let states = try await Self.rows(stage).map(\.state).sorted()
            #expect(states == [0, 3])
        }
    }

    @Test func `entries are limited, and a form that was stored before gets its answer again`() async throws {
        try await PortalStage.run { stage in
            var author = try await stage.officer(Self.ada)
            let form = Self.entry.merging(["form": try await author.venueForm()]) { $1 }
            #expect(try await author.post("/venues", form).status == 303)
            try await TestPostgres.withClient(stage.database.superuserConnection) { superuser in
                _ = try await superuser.session {
                    try $0.execute(
                        """
                        INSERT INTO venues.event (event_id, tags, start_interval, end_interval, severity, message, author)
                        SELECT gen_random_uuid(), ARRAY[\([UInt8](repeating: 1, count: 32))], 2966172, 2966180, 'inform',
                            'take-test', \([UInt8](repeating: 1, count: 32))
                        FROM generate_series(1, \(Int32(VenueLimit.rows - 1)))
                        """)
                }
            }
            #expect(try await author.enter(Self.entry).refusal == "full")
            #expect(try await author.post("/venues", form).status == 303)
            #expect(try await Self.rows(stage).count == VenueLimit.rows)
        }
    }
}

extension Browser {
    /// The number of a new form.
    mutating func venueForm() async throws -> String {
        let page = try await get("/venues/new").body
        return try #require(page.firstMatch(of: /name="form" value="([0-9a-f]+)"/)?.1).description
    }

    /// Sends a new form.
    mutating func enter(_ entry: [String: String]) async throws -> Answer {
        let form = try await venueForm()
        return try await post("/venues", entry.merging(["form": form]) { entered, _ in entered })
    }

    mutating func decide(_ event: UUID, _ decision: String) async throws -> Answer {
        try await post("/venues/decision", ["event": event.uuidString.lowercased(), "decision": decision])
    }
}
