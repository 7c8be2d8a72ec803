import Catalogue
import Foundation
import Testing

/// What a country decides has one variable, and every service that reads it is given it: in docker-compose.yml, in the manifests for
/// Kubernetes, and in README.md's section for another country.
struct CountrySettingTests {
    /// A setting of services, and the variable that an operator sets.
    struct Setting: Sendable, CustomTestStringConvertible {
        let key: String
        let variable: String
        let standard: String
        /// How a program reads it: the pattern of its sources.
        let read: String

        var testDescription: String { key }
        /// As docker-compose.yml has it.
        var line: String { "\(DeploymentTests.variable(key)): ${\(variable):-\(standard)}" }
    }

    static let settings = [
        Setting(
            key: "origin", variable: "VIGIL_ORIGIN", standard: "DE", read: #"agreed\(on: \.origin|CountryFact\.origin"#),
        Setting(
            key: "statistics.timeZone", variable: "VIGIL_TIME_ZONE", standard: "Europe/Berlin",
            read: #"await LocalCalendar\(|agreed\(on: \.timeZone|"statistics\.timeZone""#),
        Setting(key: "home.country", variable: "VIGIL_ORIGIN", standard: "DE", read: #""home\.country""#),
        Setting(key: "regions", variable: "VIGIL_REGIONS", standard: "", read: #"list\("regions"\)"#),
        Setting(key: "portal.languages", variable: "VIGIL_LANGUAGES", standard: "de,en", read: #""portal\.languages""#),
        Setting(
            key: "upload.countries", variable: "VIGIL_FEDERATION_COUNTRIES", standard: "FR,NL,PL",
            read: #""upload\.countries""#),
        Setting(
            key: "countries", variable: "VIGIL_FEDERATION_COUNTRIES", standard: "FR,NL,PL",
            read: #"list\("countries"\)"#
        ),
    ]

    /// The executables that read a setting, by their sources.
    private static func readers(of setting: Setting) throws -> Set<String> {
        Set(
            try TrustZones.Module.all.filter { try !SourceTree($0.folder).lines(matching: setting.read).isEmpty }
                .map(\.executable))
    }

    @Test(
        "compose gives each program that reads a setting of the country its variable, and no other", arguments: settings
    )
    func compose(setting: Setting) throws {
        let readers = try Self.readers(of: setting)
        #expect(!readers.isEmpty, "the pattern finds nobody")
        let compose = try HandWrittenFile("docker-compose.yml")
        let key = DeploymentTests.variable(setting.key)
        let given = try Catalogue.services.filter { service in
            let container = compose.block(service.name, indentation: 2)
            let isGiven = try !container.matches(of: #"^      ("# + key + "):").isEmpty
            if isGiven {
                container.expect(
                    setting.line, for: service.name, because: "one variable for all who read \(setting.key)")
            }
            return isGiven
        }
        #expect(Set(given.map(\.executable)) == readers)
    }

    @Test("the manifests for Kubernetes give it to the same services", arguments: settings)
    func kubernetes(setting: Setting) throws {
        let compose = try HandWrittenFile("docker-compose.yml")
        for service in Catalogue.services where !service.isSimulator {
            let path = try #require(try ManifestTests.files().first { $0.hasSuffix("/\(service.name).yaml") })
            let key = DeploymentTests.variable(setting.key)
            let manifest = try HandWrittenFile(path)
            let isGiven = compose.block(service.name, indentation: 2).contains(setting.line)
            let found = try manifest.matches(
                of: "- name: \(key)\n +valueFrom:\n +configMapKeyRef:\n +name: settings\n +key: (\\w+)$")
            #expect(found == (isGiven ? [setting.variable] : []), "\(service.name), \(key)")
        }
    }

    @Test("the migration records what the services are set to")
    func migration() throws {
        let compose = try HandWrittenFile("docker-compose.yml").block("migrate", indentation: 2)
        let job = try HandWrittenFile("deploy/kubernetes/base/migrate.yaml")
        for (option, key) in [("--origin", "origin"), ("--time-zone", "statistics.timeZone")] {
            let setting = try #require(Self.settings.first { $0.key == key })
            let value = "${\(setting.variable):-\(setting.standard)}"
            compose.expect("- \(option) - \(value)", for: "migrate", because: "the record of \(key)")
            job.expect("- \(option) - $(\(setting.variable))", for: "migrate", because: "the record of \(key)")
            job.expect(
                "configMapKeyRef: {name: settings, key: \(setting.variable)}", for: "migrate", because: "its value")
        }
    }

    @Test("an operator's own files take the place of ours")
    func files() throws {
        let compose = try HandWrittenFile("docker-compose.yml")
        compose.block("distribution", indentation: 2).expect(
            "${VIGIL_STATIC:-./deploy/static}:/static:ro", for: "distribution", because: "the static files")
        compose.block("prometheus", indentation: 2).expect(
            "${VIGIL_WORKING_HOURS:-./deploy/prometheus/working-hours.yml}:/etc/prometheus/working-hours.yml:ro",
            for: "prometheus", because: "when laboratories work")
    }

    @Test("README.md lists every variable of the country, and compose knows each that it lists")
    func readme() throws {
        let text = try String(contentsOf: SourceTree.root.appending(path: "README.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## Another country\n").dropFirst().first)
            .components(separatedBy: "\n## ")[0]
        let listed = Set(section.matches(of: /VIGIL_[A-Z_]+/).map { String($0.0) })
        let decided = Set(Self.settings.map(\.variable) + ["VIGIL_STATIC", "VIGIL_WORKING_HOURS"])
        #expect(decided.subtracting(listed).isEmpty)
        let files = try ["docker-compose.yml", "deploy/apple.yml"].map {
            try String(contentsOf: SourceTree.root.appending(path: $0), encoding: .utf8)
        }
        for variable in listed.sorted() {
            #expect(files.contains { $0.contains("${\(variable):") }, "no container is given \(variable)")
        }
    }
}
