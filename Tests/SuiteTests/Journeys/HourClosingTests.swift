import Calling
import Credentials
import DevelopmentSuite
import ExposureFormat
import ExposureKeys
import Foundation
import Phone
import Running
import TestResultAPI
import TestSupport
import Testing
import VerificationAPI

@Suite(
    "vigil-dev hour close", .enabled(if: TestPostgres.isAvailable, "VIGIL_TEST_POSTGRES is not set"),
    .timeLimit(.minutes(5)))
struct HourClosingTests {
    @Test("what was just uploaded is published when its hour is closed, and the next upload joins the next hour")
    func closing() async throws {
        let start = Day(number: 20_600).firstHour.advanced(by: 22).start
        try await InProcessSuite.run(clock: .offset(by: start.timeIntervalSinceNow)) { suite in
            try await suite.withStage { stage in
                var closed: [PublishedHours.Name] = []
                // The third is the first hour of the next day.
                for _ in 0..<3 {
                    let phone = Phone(at: stage.clock.now)
                    try await Self.upload(phone.diagnosisKeys(), on: stage)
                    let new = try await stage.closing.close()
                    let hour = try #require(new.last)
                    let published = try await stage.packages.keys(of: hour.day, hour: hour.hour)
                    let own = Set(phone.diagnosisKeys().map(\.data))
                    #expect(!own.isDisjoint(with: published.map(\.data)))
                    #expect(published.count >= PublicationPolicy.smallestPackage)
                    closed.append(hour)
                }
                #expect(closed.map(\.hour) == [22, 23, 0])
                #expect(Set(closed.map(\.day)).count == 2)
                // Several at once, and never fewer than the open one.
                let next = Day(number: 20_601).firstHour
                let several = try await stage.closing.close(through: next.advanced(by: 3))
                #expect(several.map(\.hour) == [1, 2, 3])
                #expect(try await stage.closing.close(through: next).map(\.hour) == [4])
                // What was closed stays published.
                #expect(try await stage.closing.published().names.contains(closed[0]))
            }
        }
    }

    /// A positive test, and what its owner uploads.
    private static func upload(_ keys: [DiagnosisKey], on stage: StoryStage) async throws {
        let guid = HashedGUID(hashing: UUID().uuidString)
        let token = try await stage.apps.register(.guid(guid))
        _ = try await stage.lab.call(
            TestResultAPI.labResults,
            LabResults(
                testResults: [LabResults.Result(id: ResultID(guid), result: .pcrPositive, sampleCollected: nil)],
                labID: "lab-1"))
        try await stage.apps.upload(keys, tan: try await stage.apps.tan(token))
    }
}
