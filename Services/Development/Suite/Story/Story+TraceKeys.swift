import Calling
import ExposureKeys
import Foundation
import HTTPTypes
import Phone
import Running
import TraceKeyAPI
import TraceKeyFormat

/// A visit to a venue of CrowdNotifier, as a phone keeps it.
struct CrowdNotifierVisit: Sendable {
    let venue: CrowdNotifierVenue
    let start: Date
    let end: Date

    /// Whether a trace key is of an hour of the visit.
    func isOf(_ key: TraceKey) -> Bool { venue.identities(from: start, to: end).contains(key.identity) }
}

/// Trace keys, from a health authority's contact tracing system to phones that read SwissCovid's layout.
extension Story {
    /// Uploads the trace keys of the visit's hours.
    ///
    /// The secret keys and the texts are random here: the authority's software makes them, by pairings, and other apps read them.
    func uploadTraceKeys(of visit: CrowdNotifierVisit) async throws {
        let keys = visit.venue.identities(from: visit.start, to: visit.end).compactMap { identity in
            TraceKey(
                identity: identity, secretKey: Self.random(TraceKey.secretKeySize), day: Day(containing: visit.start),
                associatedData: Self.random(60), nonce: Self.random(TraceKey.nonceSize))
        }
        let body = Data(try TraceKeyList(keys).json())
        let token = try await stage.traceKeyToken()
        try await expect(.unauthorized, "an upload without a token is refused") {
            _ = try await stage.tracing.call(TraceKeyAPI.traceKeys, TraceKeyUpload(token: nil, body: body))
        }
        for _ in 1...2 {
            _ = try await stage.tracing.call(TraceKeyAPI.traceKeys, TraceKeyUpload(token: token, body: body))
        }
        say(
            "A contact tracing system uploaded \(keys.count) trace keys of a bar with its token (200), and again after a lost answer."
        )
    }

    /// The phone that was at the bar finds the keys; one that was at another place doesn't.
    func matchTraceKeys(of visit: CrowdNotifierVisit) async throws {
        let other = CrowdNotifierVisit(
            venue: CrowdNotifierVenue(payload: Self.random(40)), start: visit.start, end: visit.end)
        let now = stage.clock.now
        let (keys, tag) = try await stage.packages.traceKeys(at: now)
        try require(keys.contains(where: visit.isOf), "the phone that was at the bar should find its trace key")
        try require(!keys.contains(where: other.isOf), "the phone that was elsewhere should find none")
        let (news, _) = try await stage.packages.traceKeys(since: tag, at: now)
        try require(news.isEmpty, "with the tag of the answer there should be nothing new")
        say(
            "A phone that reads SwissCovid's layout downloaded \(keys.count) trace keys and found the hours that it was at the bar; "
                + "another one found none."
        )
    }

    /// A visit of an hour and a half to a bar that nobody has visited yet.
    static func barVisit(at noon: Date) -> CrowdNotifierVisit {
        CrowdNotifierVisit(
            venue: CrowdNotifierVenue(payload: random(40)), start: noon, end: noon.addingTimeInterval(5_400))
    }

    static func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
}
