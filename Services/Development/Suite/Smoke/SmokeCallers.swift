import Calling
import Catalogue
import Foundation
import OutsideCalls
import Phone
import Vigil

/// Everybody who calls the suite in a smoke test, with their connections.
struct SmokeCallers: Sendable {
    let app: AppClient
    let packages: PackageClient
    let laboratory: ServiceClient
    let officer: PortalVisit
    let doors: Doors

    /// Where they call.
    struct Doors: Sendable {
        let apps: Door
        let downloads: Door
        let laboratories: Door
        let portal: Door
    }

    /// - Parameters:
    ///   - folder: with their certificates and keys.
    ///   - laboratory: the name of the laboratory's folder in it.
    ///   - country: which uploads name, and whose packages are looked at.
    ///   - trusted: path of a PEM file with whom apps and browsers trust.
    init(
        _ folder: CallersFolder, laboratory name: String, country: String, at addresses: Addresses,
        trusting trusted: String
    ) throws {
        let everybody = try OutsideCalls(authorities: trusted, reach: .direct)
        let files = folder.laboratory(name)
        app = try AppClient(base: addresses.apps, authorities: trusted, country: country)
        packages = try PackageClient(
            base: addresses.downloads, authorities: trusted, region: country, country: country,
            trusted: [folder.signingKey()])
        laboratory = try ServiceClient(base: addresses.laboratories, tls: files, name: "test-result-server")
        let codes = OneTimeCodes()
        officer = PortalVisit(portal: addresses.portal, authorities: trusted) { try codes.next(of: $0) }
        doors = Doors(
            apps: Door(addresses.apps, option: "--apps", everybody),
            downloads: Door(addresses.downloads, option: "--downloads", everybody),
            laboratories: Door(
                addresses.laboratories, option: "--laboratories",
                try OutsideCalls(files, peer: "test-result-server", reach: .direct)),
            portal: Door(addresses.portal, option: "--portal", everybody))
    }

    /// The doors' addresses.
    struct Addresses {
        let apps: String
        let downloads: String
        let laboratories: String
        let portal: String
    }

    func close() async {
        await app.close()
        await packages.close()
        await laboratory.close()
    }
}
