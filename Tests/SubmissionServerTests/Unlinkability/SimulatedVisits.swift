import Crypto
import CryptoExtras
import ExposureKeys
import Foundation
import TestSupport
import Venues

/// Visits to venues with a seed, and the reports that a phone makes of them. Only the test knows which report is of which venue.
enum SimulatedVisits {
    struct Visit: Sendable {
        let venue: UInt64
        let report: VenueReport
    }

    /// The visits of one person, as `VisitModel` has them: a quarter are to the venue of the one before.
    static func ofPerson(in hour: Hour, using random: inout SeededGenerator) -> [Visit] {
        var visits: [Visit] = []
        var venue = random.next()
        repeat {
            if Int.random(in: 0..<100, using: &random) >= 25 { venue = random.next() }
            let start = UInt32(clamping: hour.startSeconds / 600) - UInt32.random(in: 0..<2000, using: &random)
            let record = Record(
                start: start, end: start + UInt32.random(in: 1...36, using: &random),
                level: UInt8.random(in: 3...8, using: &random))
            visits.append(Visit(venue: venue, report: report(record, of: venue, using: &random)))
        } while Int.random(in: 0..<100, using: &random) < 60
        return visits.shuffled(using: &random)
    }

    private struct Record {
        let start: UInt32
        let end: UInt32
        let level: UInt8

        var bytes: [UInt8] {
            withUnsafeBytes(of: start.bigEndian) { Array($0) } + withUnsafeBytes(of: end.bigEndian) { Array($0) } + [
                level
            ]
        }
    }

    /// A report of a venue whose seed is made of its number.
    private static func report(_ record: Record, of venue: UInt64, using random: inout SeededGenerator) -> VenueReport {
        let vector = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
        let seed = withUnsafeBytes(of: venue) { Array($0) + Array($0) }
        guard let keys = VenueSeed(seed)?.keys, let nonce = try? AES._CTR.Nonce(nonceBytes: vector),
            let record = try? AES._CTR.encrypt(record.bytes, using: keys.encryption, nonce: nonce)
        else { preconditionFailure("sixteen bytes are a seed and a vector") }
        let code = HMAC<SHA256>.authenticationCode(for: vector + record, using: keys.authentication)
        guard let report = VenueReport(vector + record + code) else { preconditionFailure("the parts have 57 bytes") }
        return report
    }
}
