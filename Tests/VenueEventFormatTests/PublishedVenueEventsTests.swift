import ExposureKeys
import FoundationEssentials
import Testing
import VenueEventFormat
import Venues

@Suite struct PublishedVenueEventsTests {
    private static func record(
        _ number: UInt8, tag: VenueTag, severity: VenueSeverity = .inform
    ) throws -> VenueEventRecord {
        VenueEventRecord(
            event: UUID(uuid: (number, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1)), tag: tag,
            // 2026-05-25, 10:00 to 12:30.
            window: try #require(
                VenueWindow(start: IntervalNumber(rawValue: 2_966_172), end: IntervalNumber(rawValue: 2_966_187))),
            severity: severity, message: .takeTest, revision: 1)
    }

    private static func published() throws -> PublishedVenueEvents {
        let day = try #require(VenueSeed(Array(UInt8(0)..<32))).keys.tag(onDay: 20_598)
        let number = try #require(GlobalLocationNumber("9429300000007")).tag
        let revoked = VenueTombstone(
            event: UUID(uuid: (9, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1)), revision: 2)
        return try #require(
            PublishedVenueEvents(
                records: [try record(7, tag: number, severity: .test), try record(3, tag: day)], revoked: [revoked]))
    }

    @Test func `the file has the documented form, whatever the order of the events`() throws {
        let published = try Self.published()
        let text = String(decoding: try published.encoded(), as: UTF8.self)
        #expect(
            text == """
                {"events":[{"end":"2026-05-25T12:30:00Z","eventId":"03000000-0000-4000-8000-000000000001",\
                "messageId":"take-test","revision":1,"severity":"inform","start":"2026-05-25T10:00:00Z",\
                "venueTag":"\(published.records[0].tag.hex)"},{"end":"2026-05-25T12:30:00Z",\
                "eventId":"07000000-0000-4000-8000-000000000001","messageId":"take-test","revision":1,\
                "severity":"test","start":"2026-05-25T10:00:00Z","venueTag":"\(published.records[1].tag.hex)"}],\
                "revoked":[{"eventId":"09000000-0000-4000-8000-000000000001","revision":2}],"version":1}
                """)
        let reversed = PublishedVenueEvents(records: published.records.reversed(), revoked: published.revoked)
        #expect(try reversed?.encoded() == Array(text.utf8))
        #expect(PublishedVenueEvents(Array(text.utf8)) == published)
    }

    @Test(arguments: [
        (#""version":1"#, #""version":2"#), (#""severity":"test""#, #""severity":"panic""#),
        ("10:00:00Z", "10:00:01Z"), ("10:00:00Z", "13:00:00Z"), ("2026-05-25T10:00:00Z", "2026-05-24T10:00:00Z"),
        ("take-test", "Ada Amt"), ("2d688c7b", "2D688c7b"), ("2d688c7b", ""), ("09000000", "03000000"),
        (#""revision":2"#, #""revision":0"#),
        ("03000000-0000-4000-8000-00000000000", "0300000000004000800000000000000"),
    ]) func `a file with a wrong value is none`(part: String, other: String) throws {
        let text = String(decoding: try Self.published().encoded(), as: UTF8.self)
        let changed = text.replacing(part, with: other)
        #expect(changed != text)
        #expect(PublishedVenueEvents(Array(changed.utf8)) == nil)
    }

    @Test func `New Zealand's file has the venues with a number`() throws {
        // The digest in base64, by Python.
        let hash = "LWiMex1xspmEZef9EV7JkvAUFDxtqQ+qZyR8YGf2/Frdk1z6PKW9n6yCTm+qVmA4"
        #expect(
            String(decoding: try NewZealandExposureEvents(Self.published()).bytes, as: UTF8.self) == """
                {"items":[{"end":"2026-05-25T12:30:00Z","eventId":"07000000-0000-4000-8000-000000000001",\
                "glnHash":"\(hash)","notificationId":"07000000-0000-4000-8000-000000000001",\
                "start":"2026-05-25T10:00:00Z","systemNotificationBody":"\(VenueMessage.takeTest.english)"}]}
                """)
    }

    @Test func `the NHS's file has every venue by its tag`() throws {
        let published = try Self.published()
        #expect(
            String(decoding: try RiskyVenues(published).bytes, as: UTF8.self) == """
                {"venues":[{"id":"\(published.records[0].tag.hex)","messageType":"M1",\
                "riskyWindow":{"from":"2026-05-25T10:00:00Z","until":"2026-05-25T12:30:00Z"}},\
                {"id":"\(published.records[1].tag.hex)","messageType":"M2",\
                "riskyWindow":{"from":"2026-05-25T10:00:00Z","until":"2026-05-25T12:30:00Z"}}]}
                """)
    }
}
