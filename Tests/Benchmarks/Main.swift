import ArgumentParser

/// The programs that `deploy/bench.sh` times: each does one thing, so that its cost can be read off the process.
@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmarks", abstract: "Programs to be timed by deploy/bench.sh.",
        subcommands: [
            ServingJSON.self, BareHummingbirdJSON.self, PostgresLookup.self, PostgresInsert.self, PostgresCopy.self,
            PrepareSuite.self, TANReservationLoad.self, TANVerificationLoad.self, ResultPollingLoad.self,
            LabResultLoad.self, UploadLoad.self, ExportKeys.self, ProxyServer.self, IdleConnections.self, Matching.self,
            PushLoad.self, OfficerLoad.self, VenueMatching.self, RiskDay.self, CountryHours.self,
            FederationUpload.self, FederationPreparation.self, DonationPreparation.self, DonationLoad.self,
            FurtherLoad.self, BarePolling.self, CountryLoad.self,
        ])
}
