import Credentials
import Crypto
import Foundation
import Testing

@testable import Phone

@Suite struct CrowdNotifierVenueTests {
    /// What other programs computed: `Fixtures/make-identities.py`, and of the first two the identities in swisscovid-cn-backend.
    struct Vector: Decodable, CustomTestStringConvertible, Sendable {
        let payload: String
        let start: Int64
        let preId: String
        let timeKey: String
        let identity: String
        let notificationKey: String

        var testDescription: String { "\(payload.count / 2) bytes at \(start)" }
    }

    static let vectors: [Vector] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/identities.json")
        let read = try? JSONDecoder().decode([Vector].self, from: Data(contentsOf: file))
        return read ?? []
    }()

    @Test func `there are vectors`() {
        #expect(Self.vectors.count == 20)
    }

    @Test(arguments: vectors)
    func `identities are those of other programs`(_ vector: Vector) throws {
        let venue = CrowdNotifierVenue(payload: try #require([UInt8](hex: vector.payload)))
        #expect(venue.preIdentity.hex == vector.preId)
        #expect(venue.timeKey(startingAt: vector.start).hex == vector.timeKey)
        #expect(venue.identity(startingAt: vector.start).hex == vector.identity)
        #expect(venue.notificationKey.withUnsafeBytes { Array($0) }.hex == vector.notificationKey)
    }

    @Test(arguments: [
        (0, 1, [0]), (3599, 3600, [0]), (3599, 3601, [0, 3600]), (3600, 3600, [3600]), (7300, 14_400, [7200, 10_800]),
    ])
    func `a visit has an identity for each hour that it touches`(_ start: Int, _ end: Int, _ hours: [Int64]) {
        let venue = CrowdNotifierVenue(payload: [1, 2, 3])
        let identities = venue.identities(
            from: Date(timeIntervalSince1970: Double(start)), to: Date(timeIntervalSince1970: Double(end)))
        #expect(identities == hours.map { venue.identity(startingAt: $0) })
    }
}
