package import Catalogue
import ExposureFormat
import Foundation
package import Phone
import StrictJSON
package import Vigil

/// The facts about a state folder's suite that `vigil-dev up` last wrote, for the commands that talk to it.
package struct RunningSuite: Decodable, Sendable {
    private let firstPort: Int
    private let origin: String
    private let timeZone: String
    /// Their names, with commas between them.
    private let services: String
    /// Nil for a shared clock.
    private let clockOffset: Int?

    /// Reads the state folder.
    package init(in folder: StateFolder) throws {
        guard let text = try folder.read(folder.configuration("suite")) else {
            throw CommandFailure(
                "\(folder.path) holds no suite: run `vigil-dev up` first, or name another folder with --state.")
        }
        do {
            self = try StrictJSON.decode(RunningSuite.self, from: Data(text.utf8))
        } catch {
            throw CommandFailure("\(folder.configuration("suite")) is damaged: run `vigil-dev up` again.")
        }
    }

    /// Whether a service was started.
    package func runs(_ service: Catalogue.Service) -> Bool {
        services.split(separator: ",").contains { $0 == service.name }
    }

    /// The country that it works for.
    package var country: SuiteCountry { SuiteCountry(origin: origin, timeZone: timeZone) }

    /// A phone that uploads to this suite.
    package func appClient(in folder: StateFolder) throws -> AppClient {
        try AppClient(
            base: url(of: .metadataProxy, .listen), authorities: folder.certificate(SuiteCertificates.authority),
            country: origin)
    }

    /// A phone that downloads from this suite and trusts its signing key.
    /// - Parameter region: nil for that of the country.
    package func packageClient(in folder: StateFolder, region: String? = nil) throws -> PackageClient {
        let publicKeyFile = SuiteSecrets.signingPublicKeyFile(in: folder)
        guard let pem = try folder.read(publicKeyFile) else {
            throw CommandFailure("\(publicKeyFile) is missing: run `vigil-dev up` again.")
        }
        return try PackageClient(
            base: url(of: .downloadServer, .listen), authorities: folder.certificate(SuiteCertificates.authority),
            region: region ?? origin, country: origin, trusted: [VerificationKey(pem: pem)])
    }

    /// What time it is for the services.
    package var clock: SuiteClock { clockOffset.map { .ahead(seconds: $0) } ?? .shared }

    /// The identity provider's name in tokens.
    package var issuer: String { Catalogue.issuer(firstPort: firstPort) }

    /// The URL of a listener.
    package func url(of service: Catalogue.Service, _ listener: Catalogue.ListenerName) throws -> String {
        try service.url(listener, firstPort: firstPort)
    }
}
