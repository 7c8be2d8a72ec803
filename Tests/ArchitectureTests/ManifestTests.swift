import Catalogue
import Foundation
import HTTPContract
import Schema
import Testing

/// The manifests for Kubernetes, which Tests/Kubernetes/render.py writes from docker-compose.yml, have what the catalogue says and
/// docker-compose.yml doesn't.
struct ManifestTests {
    static let services = Catalogue.services.filter { !$0.isSimulator }

    @Test("each service has manifests with its role, its login role and its listeners", arguments: services)
    func manifests(service: Catalogue.Service) throws {
        let files = try Self.files().filter { $0.hasSuffix("/\(service.name).yaml") && !$0.contains("/country/") }
        let file = try #require(files.first, "run python3 Tests/Kubernetes/render.py")
        #expect(files.count == 1)
        let manifest = try HandWrittenFile(file)
        let roles = try manifest.matches(of: #"- vigil:role:([a-z-]+)$"#)
        #expect(roles == [service.role?.rawValue].compactMap { $0 }, "the role in its certificate")
        let logins = try manifest.matches(of: #"commonName: (\w+)$"#)
        #expect(
            logins == [service.database?.role.rawValue].compactMap { $0 },
            "the login role in its certificate for PostgreSQL")
        let ports = try manifest.matches(of: #"containerPort: ([0-9]+)$"#)
        let expected = (service.listeners.map(\.port) + [service.metrics].compactMap { $0 }).map { "\($0.number)" }
        #expect(Set(ports) == Set(expected), "a port for each listener that others reach")
    }

    @Test("no manifest runs a simulator")
    func simulators() throws {
        for file in try Self.files() {
            let images = try HandWrittenFile(file).matches(of: #"image: (\S+)$"#)
            #expect(images.allSatisfy { !$0.contains("development") }, "\(file)")
        }
    }

    /// The manifests, by their paths in the checkout.
    static func files() throws -> [String] {
        let folder = SourceTree.root.appending(path: "deploy/kubernetes")
        let found = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }
        return found.map { "deploy/kubernetes/\($0)" }
    }
}
