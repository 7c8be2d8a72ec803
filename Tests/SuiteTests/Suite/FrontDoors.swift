import ArgumentParser
import DataDonation
import DevelopmentAPNs
import DevelopmentAttestation
import DevelopmentGateway
import DevelopmentIdentity
import DownloadServer
import Federation
import Further
import HealthPortal
import MetadataProxy
import PushDispatcher
import Running
import SubmissionServer
import TestResultServer
import VerificationServer

/// How this process runs an executable: its command line and the function that serves.
struct FrontDoor: Sendable {
    let command: any AsyncParsableCommand.Type
    let serve: @Sendable (ServiceRuntime) async throws -> Void

    /// Front doors by the catalogue's name.
    ///
    /// Services that only run at certain times, such as `distribution`, are missing: tests call them directly.
    static let all: [String: FrontDoor] = [
        "test-result-server": .init(command: TestResultServer.self, serve: TestResultServer.serve),
        "verification-server": .init(command: VerificationServer.self, serve: VerificationServer.serve),
        "submission-server": .init(command: SubmissionServer.self, serve: SubmissionServer.serve),
        "development-attestation": .init(command: DevelopmentAttestation.self, serve: DevelopmentAttestation.serve),
        "data-donation": .init(command: DataDonation.self, serve: DataDonation.serve),
        "development-identity": .init(command: DevelopmentIdentity.self, serve: DevelopmentIdentity.serve),
        "health-portal": .init(command: HealthPortal.self, serve: HealthPortal.serve),
        "development-gateway": .init(command: DevelopmentGateway.self, serve: DevelopmentGateway.serve),
        "federation": .init(command: Federation.self, serve: Federation.serve),
        "development-apns": .init(command: DevelopmentAPNs.self, serve: DevelopmentAPNs.serve),
        "push-dispatcher": .init(command: PushDispatcher.self, serve: PushDispatcher.serve),
        "further": .init(command: Further.self, serve: Further.serve),
        "download-server": .init(command: DownloadServer.self, serve: DownloadServer.serve),
        "metadata-proxy": .init(command: MetadataProxy.self, serve: MetadataProxy.serve),
    ]
}
