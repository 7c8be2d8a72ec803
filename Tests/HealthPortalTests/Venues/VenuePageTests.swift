import Credentials
import ExposureKeys
import Foundation
import Pages
import Testing
import VenueEventFormat
import Venues

@testable import HealthPortal

/// Contents of the pages of venues, in every state.
enum VenuePageSamples {
    private static let author = Digest(sha256: [1])

    static func event(_ state: EnteredVenue.State, tag: [UInt8] = [UInt8](repeating: 7, count: 32)) -> EnteredVenue? {
        VenueWindow(start: IntervalNumber(rawValue: 2_999_808), end: IntervalNumber(rawValue: 2_999_820)).map {
            window in
            EnteredVenue(
                id: UUID(uuid: (1, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 9)),
                tags: state == .revoked ? [] : [VenueTag(tag)].compactMap(\.self), window: window, severity: .test,
                message: .takeTest, state: state, author: author)
        }
    }

    static let list = VenueList(
        rows: EnteredVenue.State.allCases.flatMap { state in
            [true, false].compactMap { isOwn in event(state).map { VenueList.Row(event: $0, isOwn: isOwn) } }
        }, mayEnter: true, mayDecide: true, now: ViewTests.now)

    static let none = VenueList(rows: [], mayEnter: false, mayDecide: true, now: ViewTests.now)

    static func form(_ text: String, problem: VenueForm.Problem? = nil) -> VenueFormPage {
        VenueFormPage(
            form: VenueFormNumber(),
            fields: VenueForm.Fields(number: text, start: text, end: text, severity: text, message: text),
            problem: problem, now: ViewTests.now)
    }

    static func importPage(_ text: String) -> VenueImportPage {
        VenueImportPage(
            form: VenueFormNumber(), text: text, message: .takeTest, problems: [.init(line: 2, reason: .columns)])
    }
}

@Suite struct VenuePageTests {
    @Test func `an own entry has no decision, one that waits two, a published one its revocation`() throws {
        func decisions(_ state: EnteredVenue.State, isOwn: Bool) throws -> [VenueDecision] {
            VenueList.Row(event: try #require(VenuePageSamples.event(state)), isOwn: isOwn).decisions
        }
        #expect(try decisions(.waiting, isOwn: true) == [])
        #expect(try decisions(.waiting, isOwn: false) == [.approve, .refuse])
        #expect(try decisions(.approved, isOwn: true) == [.revoke])
        for state in [EnteredVenue.State.refused, .revoked] { #expect(try decisions(state, isOwn: false) == []) }
    }

    @Test func `who may not decide sees no forms, who may not enter no way to the form`() throws {
        let frame = try ViewTests.frame(.english)
        let row = try #require(VenuePageSamples.list.rows.first)
        for (mayEnter, mayDecide) in [(true, false), (false, true)] {
            let page = frame.venuesPage(
                VenueList(
                    rows: [.init(event: row.event, isOwn: false)], mayEnter: mayEnter, mayDecide: mayDecide,
                    now: ViewTests.now))
            let text = String(decoding: page.bytes, as: UTF8.self)
            #expect(text.contains("/venues/decision") == mayDecide)
            #expect(text.contains("href=\"/venues/new\"") == mayEnter)
        }
    }

    @Test func `the fields in which a poster is typed have no name, so no form sends them`() throws {
        let frame = try ViewTests.frame(.german)
        let pages = [frame.venueFormPage(VenuePageSamples.form("")), frame.venuesPage(VenuePageSamples.list)]
        for (page, id) in zip(pages, ["poster", "compared"]) {
            let text = String(decoding: page.bytes, as: UTF8.self)
            let field = try #require(text.firstMatch(of: try Regex("<input id=\"\(id)\"[^>]*>"))?.output[0].substring)
            #expect(!field.contains("name="))
        }
    }

    @Test func `local times are read by the authority's clock, and none that it skips`() throws {
        let berlin = try #require(LocalTime(zone: "Europe/Berlin"))
        #expect(berlin.moment("2026-05-26T14:00") == Date(timeIntervalSince1970: 1_779_796_800))
        #expect(berlin.moment("2026-01-26T14:00") == Date(timeIntervalSince1970: 1_769_432_400))
        // Clocks go forward at 02:00 on this day, and back at 03:00 on that.
        #expect(berlin.moment("2026-03-29T02:30") == nil)
        #expect(berlin.moment("2026-10-25T02:30") == Date(timeIntervalSince1970: 1_792_888_200))
        for text in [
            "", "2026-05-26", "2026-05-26T14:00:00", "2026-5-26T14:00", "2026-13-01T00:00", "2026-02-30T00:00",
            "2026-05-26T24:00", "2026-05-26T14:60", "2026-05-26 14:00", "-026-05-26T14:00", "２026-05-26T14:00",
        ] {
            #expect(berlin.moment(text) == nil, "\(text)")
        }
    }
}
