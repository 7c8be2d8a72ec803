import CMatching
import Crypto
package import Venues

/// Finds the reports of venues that a phone knows. Only the phone learns the outcome.
///
/// Nothing tells of which venue a report is, so each is tried with each venue's authentication key: four million trials a day in a
/// country, of which `CMatching` computes some thirty million a second.
package struct VenueMatcher: Sendable {
    /// A report that is authentic by a venue's key.
    package struct Match: Hashable, Sendable {
        /// The number of the report.
        package let report: Int
        /// The number of the venue.
        package let venue: Int
    }

    private let keys: [vigil_venue_key]
    private let code: VenueMatchingCode

    /// Creates a matcher for venues.
    package init(_ venues: [VenueKeys]) {
        self.init(venues, code: .best)
    }

    /// Creates a matcher that uses certain instructions. All give the same result.
    init(_ venues: [VenueKeys], code: VenueMatchingCode) {
        keys = venues.map { venue in
            venue.authentication.withUnsafeBytes { key in
                vigil_venue_prepare(key.bindMemory(to: UInt8.self).baseAddress)
            }
        }
        self.code = code
    }

    /// The matches among reports, in the order of reports and, for each, of venues.
    /// - Parameter reports: one after another, ``VenueReport/count`` bytes each. Bytes that are left over are no report.
    package func matches(among reports: [UInt8]) -> [Match] {
        let count = reports.count / VenueReport.count
        guard count > 0, !keys.isEmpty else { return [] }
        var found: [Match] = []
        let room = 2 * Int(VIGIL_VENUE_BATCH) * keys.count
        withUnsafeTemporaryAllocation(of: vigil_venue_match.self, capacity: room) { matches in
            reports.withUnsafeBufferPointer { reports in
                var done = 0
                while done < count {
                    var tried = 0
                    let number = vigil_venue_matches(
                        code.instructions, keys, keys.count,
                        reports.baseAddress?.advanced(by: done * VenueReport.count),
                        count - done, matches.baseAddress, room, &tried)
                    found += matches[..<number].map { Match(report: done + Int($0.report), venue: Int($0.key)) }
                    done += tried
                }
            }
        }
        return found.sorted { ($0.report, $0.venue) < ($1.report, $1.venue) }
    }
}

/// The instructions that try reports: the processor's best, or simpler ones.
struct VenueMatchingCode: Hashable, Sendable, CustomStringConvertible {
    let instructions: vigil_venue_code

    /// The fastest code that runs on this processor.
    static let best = VenueMatchingCode(instructions: vigil_venue_best_code())

    /// All code that runs on this processor, the portable one first.
    static let available: [VenueMatchingCode] = [vigil_venue_portable, vigil_venue_sha, vigil_venue_avx512]
        .filter { code in
            switch code {
            case vigil_venue_portable: true
            case vigil_venue_sha: vigil_matching_best_hash() == vigil_hash_sha
            default: code == vigil_venue_best_code()
            }
        }.map(VenueMatchingCode.init)

    var description: String { "instructions \(instructions.rawValue)" }
}
