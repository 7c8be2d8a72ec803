import ArgumentParser
import Calling
import Credentials
import ExposureFormat
import ExposureKeys
import Foundation
import HTTPContract
import Running
import SubmissionAPI
import Venues

/// Phones that upload fourteen keys each, or venue reports, every one with a TAN of its own.
struct UploadLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uploads", abstract: "Uploads of 14 keys, or of venue reports, that were answered 200, per second."
    )

    @OptionGroup var load: ServiceLoad

    @Option(help: "How many uploads at most.")
    var limit = Int.max

    @Option(help: "How many venue reports each upload has, at most 128, in the place of keys.")
    var venueReports = 0

    func run() async throws {
        let numbers = Numbers(limit: min(limit, Int(Seeded.count)))
        let today = Day(containing: Date())
        let cipher = try Seeded.cipher(in: load.folder)
        try await load.run(as: .metadataProxy) { client, random in
            guard let number = numbers.next() else { return nil }
            let tan = Seeded.tan(number, by: cipher)
            if venueReports > 0 {
                let reports = (0..<venueReports).map { _ in VenueReport(using: &random) }
                guard let upload = VenueUpload(reports: reports) else { throw ValidationError("At most 128 reports.") }
                let request = UploadRequest(authorization: tan.text, payload: Data(try upload.encoded()))
                _ = try await client.call(SubmissionAPI.venueReports, request)
                return 1
            }
            let upload = UploadRequest(
                authorization: tan.text, payload: try Self.payload(before: today, using: &random))
            _ = try await client.call(SubmissionAPI.diagnosisKeys, upload)
            return 1
        }
    }

    /// The keys of the fourteen days before today, padded as apps do.
    private static func payload(before today: Day, using random: inout FastRandom) throws -> Data {
        var payload = SubmissionPayload()
        payload.origin = "DE"
        payload.visitedCountries = ["DE"]
        payload.keys = (1...14).map { daysAgo in
            var key = TemporaryExposureKey()
            key.keyData = withUnsafeBytes(of: (random.next(), random.next())) { Data($0) }
            key.rollingStartIntervalNumber = Int32(today.advanced(by: -daysAgo).firstInterval.rawValue)
            key.rollingPeriod = 144
            key.transmissionRiskLevel = Int32(1 + daysAgo % 8)
            key.daysSinceOnsetOfSymptoms = Int32(4000 - daysAgo)
            return key
        }
        return Data(try payload.encoded())
    }
}
