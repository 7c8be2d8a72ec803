import ArgumentParser
import Calling
import Credentials
import Foundation
import FurtherAPI
import HTTPContract
import Running

/// Phones of people with a positive test that post their answers.
struct FurtherLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health-reports", abstract: "Stored health reports per second, one a call.")

    @OptionGroup var load: ServiceLoad

    func run() async throws {
        try await load.run(as: .metadataProxy) { client, random in
            let id = try Seeded.identifier("report", .random(in: 0..<Seeded.count, using: &random))
            guard let id = UUID(uuidString: id.text) else { throw ValidationError("the rule gives no UUID") }
            let report = HealthReport(
                id: id, feelingSick: true, hasBeenTested: true, testResult: true,
                lastUpdate: Date().timeIntervalSince1970.rounded(.down))
            _ = try await client.call(FurtherAPI.report, try SignedMessage(report))
            return 1
        }
    }
}
