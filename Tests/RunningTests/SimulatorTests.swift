import FoundationEssentials
import Running
import Testing

struct SimulatorTests {
    private func simulated(_ values: [String: String]) -> [String] {
        let settings = Settings(values)
        for key in values.keys { _ = settings.optionalString(key) }
        return settings.simulated
    }

    @Test(
        "a setting that names a simulator, an example or the app of trials is known",
        arguments: [
            ("https://development-identity:8080/", "the simulator development-identity"),
            ("development-apns", "the simulator development-apns"),
            ("mailto:portal@example.org", "example.org, a name for examples"),
            ("https://codes.Health.Example", "codes.health.example, a name for examples"),
            ("https://a.example.com:8070,https://b.de", "a.example.com, a name for examples"),
            ("de.rki.coronawarnapp-dev", "de.rki.coronawarnapp-dev, the app of trials"),
            ("VIGILTEAM1.de.rki.coronawarnapp-dev", "de.rki.coronawarnapp-dev, the app of trials"),
        ])
    func names(value: String, name: String) {
        #expect(simulated(["a.key": value]) == ["a.key names \(name)."])
    }

    @Test(
        "a real name, a file and a word are none",
        arguments: [
            "https://login.gesundheit.de", "de.rki.coronawarnapp", "/state/certificates/development-apns.pem",
            "example",
            "test", "https://myexample.org", "api.push.apple.com", "host=postgres dbname=vigil",
        ])
    func others(value: String) {
        #expect(simulated(["a.key": value]) == [])
    }

    @Test("only what the service reads counts, in the order of the keys")
    func read() {
        let settings = Settings(["b": "x.example", "a": "development-apns", "c": "y.example"])
        _ = settings.optionalString("b")
        _ = settings.optionalString("a")
        #expect(
            settings.simulated == [
                "a names the simulator development-apns.", "b names x.example, a name for examples.",
            ])
    }

    @Test("an authority of development, or the suite's own, is no proof of an outside peer")
    func authorities() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, subject: String) throws -> String {
            let body = Data("\u{30}\u{0C}\(subject)\u{01}".utf8).base64EncodedString()
            let path = folder.appending(path: name).path()
            try Data("-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----\n".utf8).write(
                to: URL(filePath: path))
            return path
        }
        let own = try file("ca.pem", subject: "Vigil private authority")
        let made = try file("anchor.pem", subject: "Vigil development")
        let root = try file("root.pem", subject: "Simulated evidence root")
        let real = try file("real.pem", subject: "Federation gateway")
        let warned = simulated([
            "tls.authorities": own, "tls.certificate": made, "provider.authorities": own, "gateway.trustAnchor": made,
            "appAttest.roots": root, "gateway.authorities": real, "callback.authorities": "/nowhere",
        ])
        #expect(
            warned
                == ["appAttest.roots", "gateway.trustAnchor", "provider.authorities"].map {
                    "\($0) trusts an authority of development."
                })
    }

    @Test(
        "a simulated identity provider is refused on an address that others reach",
        arguments: [
            "0.0.0.0", "192.0.2.1:443", "127.0.0.1,10.0.0.1:8000", "8000", "portal.gesundheit.de", "127.0.0.1.nip.io",
        ])
    func refused(addresses: String) {
        let settings = Settings(["issuer": "https://development-identity:8080", "published.addresses": addresses])
        let problem = #expect(throws: ConfigurationProblem.self) { try settings.refuseSimulator("issuer") }
        #expect(problem?.exitStatus == 78)
        #expect(
            problem?.description.hasPrefix("issuer names the simulated identity provider development-identity") == true)
        // The authority's own is welcome there.
        #expect(throws: Never.self) {
            try Settings(["issuer": "https://login.gesundheit.de", "published.addresses": addresses]).refuseSimulator(
                "issuer")
        }
    }

    @Test(
        "it is welcome on this machine's own addresses",
        arguments: ["", "127.0.0.1", "127.0.0.1,,", "localhost:8070", "[::1]:443", "::1", "127.0.0.1:8000,127.1.2.3"])
    func welcome(addresses: String) {
        let settings = Settings(["issuer": "https://development-identity:8080", "published.addresses": addresses])
        #expect(throws: Never.self) {
            try settings.refuseSimulator("issuer", publishedAt: ["https://127.0.0.1:8070", "https://localhost"])
        }
        #expect(throws: ConfigurationProblem.self) {
            try settings.refuseSimulator("issuer", publishedAt: ["https://codes.gesundheit.de"])
        }
    }
}
