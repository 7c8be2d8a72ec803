import Calling
import Credentials
import DevelopmentIdentityAPI
import ExposureKeys
import Foundation
import Phone
import Running
import SubmissionAPI
import TestResultAPI
import VenueEventFormat
import Venues
import VerificationAPI

/// Check-ins by the posters of venues' owners, and a tracer's entry.
extension Story {
    /// The owner of phone V, who met nobody, tests positive and shares two of three visits.
    func shareVisits(_ visitors: VenueVisitors) async throws {
        let guid = HashedGUID(hashing: UUID().uuidString)
        let token = try await stage.apps.register(.guid(guid))
        _ = try await stage.lab.call(
            TestResultAPI.labResults,
            LabResults(
                testResults: [LabResults.Result(id: ResultID(guid), result: .pcrPositive, sampleCollected: nil)],
                labID: "lab-3"))
        var sharing = VisitSharing(visitors.v, by: .shipped, onset: .unsaid, at: stage.clock.now)
        try require(
            sharing.candidates.count == 3 && sharing.selected.isEmpty, "three visits should be offered, none selected")
        for visit in visitors.shared { sharing.select(visit) }
        var random = SystemRandomNumberGenerator()
        let reports = try sharing.reports(using: &random)
        let tan = try await stage.apps.tan(token)
        let answer = try await stage.apps.upload([], venueReports: reports.venueReports, tan: tan)
        try require(answer.savedCheckIns == reports.venueReports.count, "all reports should be stored")
        try await stage.apps.pretendToUploadVenueReports()
        say(
            "Phone V, whose owner met nobody and tested positive, too, shared two of three visits in Apple's form (200), in a request "
                + "as large as phone C's dummy.")
    }

    /// A tracer enters the library, and a second person approves.
    func enterVenue(_ visitors: VenueVisitors) async throws {
        var tracer = try await stage.officer.signIn(as: DevelopmentUser.tracer.rawValue)
        var approver = try await stage.officer.signIn(as: DevelopmentUser.approver.rawValue)
        try await tracer.enterVenue(
            visitors.library, from: visitors.noon, to: visitors.noon.addingTimeInterval(3600),
            in: stage.country.timeZone)
        try await approver.approveVenues()
        say("A tracer entered a library and a time at the health portal, and a second person approved it.")
    }

    /// Phone Y finds the tracer's entry.
    func matchEvents(_ visitors: VenueVisitors) async throws {
        let published = try await stage.packages.venueEvents()
        let now = stage.clock.now
        var y = visitors.y
        let news = y.compare(with: published.records, tombstones: published.revoked, at: now)
        try require(news.alerts.count == 1, "phone Y should be told of the library")
        let again = y.compare(with: published.records, tombstones: published.revoked, at: now)
        try require(again.alerts.isEmpty, "phone Y should be told once")
        var w = visitors.w
        try require(
            w.compare(with: published.records, tombstones: published.revoked, at: now).alerts.isEmpty,
            "phone W should be told of no entry")
        say("Phone Y was at the library then, and told its owner what the tracer's entry says; nothing was sent back.")
    }

    /// The reports of two hours each, which phones W and X compare with their diaries.
    func matchReports(_ visitors: VenueVisitors) async throws {
        guard let hours = try await stage.packages.venueReportHours() else {
            throw Unmet("there should be venue reports")
        }
        let now = stage.clock.now
        var (w, x) = (visitors.w, visitors.x)
        var downloaded = 0
        for first in w.due(.venueReports, in: hours) {
            let reports = try await stage.packages.venueReports(of: first)
            downloaded += reports.count
            w.compare(with: reports, of: first, at: now)
            x.compare(with: reports, of: first, at: now)
        }
        try require(w.news(by: .shipped, at: now).count == 1, "phone W should be warned of the concert")
        try require(x.news(by: .shipped, at: now).isEmpty, "phone X should not be warned of the choir")
        say(
            "Phones W and X downloaded \(downloaded) venue reports of 57 random-looking bytes, and tried their venues' keys."
        )
        say("Phone W was at the concert and is warned. Phone X was at the choir, which wasn't shared, and isn't.")
    }
}

extension SignedInBrowser {
    /// Fills in a tracer's form.
    /// - Parameter zone: that of the portal's clock.
    fileprivate mutating func enterVenue(
        _ number: GlobalLocationNumber, from start: Date, to end: Date, in zone: String
    ) async throws {
        try await open("/venues/new")
        try await submit(
            "a venue",
            [
                "number": number.text, "start": Self.local(start, in: zone), "end": Self.local(end, in: zone),
                "severity": "inform",
                "message": "watch-for-symptoms",
            ]
        ) { $0.inputs.contains("number") }
    }

    /// Approves all entries that wait. An earlier story that failed may have left some.
    fileprivate mutating func approveVenues() async throws {
        try await open("/venues")
        repeat {
            try await submit("approval") { $0.hidden["decision"] == "approve" }
        } while has {
            $0.hidden["decision"] == "approve"
        }
    }

    /// As the portal's clock shows it.
    private static func local(_ moment: Date, in zone: String) -> String {
        let zone = TimeZone(identifier: zone) ?? .gmt
        return String(Date.ISO8601FormatStyle(timeZone: zone).format(moment).prefix(16))
    }
}
