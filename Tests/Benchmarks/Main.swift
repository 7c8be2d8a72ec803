import ArgumentParser

@main enum Main {
    static func main() async { await Benchmarks.main() }
}

/// The programs that `deploy/bench.sh` times: each does one thing, so that its cost can be read off the process.
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmarks", abstract: "Programs to be timed by deploy/bench.sh.",
        subcommands: [
            ServingBare.self, ServingJSON.self, Calls.self, PostgresLookup.self, PostgresInsert.self, PostgresCopy.self,
            PrepareSuite.self, TANReservationLoad.self, TANVerificationLoad.self, ResultPollingLoad.self,
            LabResultLoad.self, UploadLoad.self, ExportKeys.self, ProxyServer.self, Matching.self,
            PushLoad.self, VenueMatching.self, RiskDay.self, CountryHours.self, DonationPreparation.self,
            DonationLoad.self, FurtherLoad.self, FederationUpload.self, FederationPreparation.self, OfficerLoad.self,
        ])
}
