import Calling
import Catalogue
import DevelopmentIdentityAPI
import DevelopmentSuite
import Phone
import TLS
import Vigil

/// The connections of a country's phones, laboratory and health officer.
struct CountryClients {
    let apps: AppClient
    let packages: PackageClient
    let lab: ServiceClient
    let portal: PortalVisit
    private let lines: TappedLines
    private let provider: ServiceClient

    init(_ folder: StateFolder) throws {
        let suite = try RunningSuite(in: folder)
        let authority = folder.certificate(SuiteCertificates.authority)
        let proxy = try suite.url(of: .metadataProxy, .listen)
        apps = try suite.appClient(in: folder)
        lines = TappedLines(to: proxy, authorities: authority)
        packages = try suite.packageClient(in: folder)
        lab = try ServiceClient(
            base: suite.url(of: .testResultServer, .laboratories),
            tls: TLSFiles(
                certificate: folder.certificate("lab"), key: folder.certificateKey("lab"), authorities: authority),
            name: "test-result-server")
        let provider = try ServiceClient(
            base: suite.url(of: .developmentIdentity, .control), tls: nil, name: "development-identity")
        self.provider = provider
        portal = PortalVisit(portal: try suite.url(of: .healthPortal, .listen), authorities: authority) {
            try await provider.oneTimeCode(of: $0)
        }
    }

    /// The same for phones.
    /// - Parameter tree: where the published files lie, for their sizes.
    func services(publishedIn tree: String, sampledOneIn: Int) -> CitizenServices {
        let executor = AppExecutor(apps: apps, packages: packages, instance: AppInstanceToken())
        return CitizenServices(
            apps: apps, packages: packages, lines: lines,
            downloads: SharedDownloads(executor, sampledOneIn: sampledOneIn) {
                PublishedSize(tree: tree).bytes(of: $0)
            },
            dummies: .vigil)
    }

    func close() async {
        await apps.close()
        await lines.close()
        await packages.close()
        await lab.close()
        await provider.close()
    }
}
