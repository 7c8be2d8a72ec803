import Catalogue
import Foundation
import Testing

/// deploy/Dockerfile gives each program an image with what it needs, and nothing else.
struct ImageTests {
    /// A stage of the Dockerfile.
    struct Stage {
        let base: String
        var packages: [String] = []
        var programs: [String] = []
    }

    static let programs = Catalogue.services.map(\.executable) + ["vigil", "vigil-dev"]

    /// Debian 12's package of each library that a program of ours is linked with, besides libc.
    private static let packages = [
        "libcrypto": "libssl3", "libcurl": "libcurl4", "libgcc_s": "libgcc-s1", "libnghttp2": "libnghttp2-14",
        "libp11-kit": "libp11-kit0", "libpq": "libpq5", "libqrencode": "libqrencode4", "libssl": "libssl3",
        "libstdc++": "libstdc++6", "libz": "zlib1g", "libzip": "libzip4",
    ]
    private let stages: [String: Stage]

    init() throws {
        let file = try String(contentsOf: SourceTree.root.appending(path: "deploy/Dockerfile"), encoding: .utf8)
        var stages: [String: Stage] = [:]
        var current = ""
        for line in file.replacing("\\\n", with: " ").split(separator: "\n") {
            if let from = line.wholeMatch(of: /FROM (\S+) AS (\S+)/) {
                current = String(from.2)
                stages[current] = Stage(base: String(from.1))
            } else if let run = line.firstMatch(of: /install [^&]*--no-install-recommends ([^&]*)/) {
                stages[current]?.packages += run.1.split(separator: " ").map { String($0) }
            } else if let copy = line.wholeMatch(of: /COPY --from=build \/programs\/(\S+) \/usr\/local\/bin\//) {
                stages[current]?.programs.append(String(copy.1))
            }
        }
        self.stages = stages
    }

    /// A stage and those that it is based on.
    private func chain(_ name: String) -> [Stage] {
        guard let stage = stages[name] else { return [] }
        return [stage] + chain(stage.base)
    }

    @Test("each executable has an image, and no image has the program of another one", arguments: programs)
    func images(program: String) throws {
        #expect(chain(program).flatMap(\.programs) == [program], "give \(program) a stage in deploy/Dockerfile")
    }

    @Test("no image is of a program that isn't there")
    func strangers() {
        #expect(Set(stages.values.flatMap(\.programs)) == Set(Self.programs))
    }

    @Test(
        "an image has the libraries that its program is linked with, and besides only what all images share",
        arguments: TrustZones.Module.all.map(\.executable) + ["vigil", "vigil-dev"])
    func libraries(program: String) throws {
        let linked = Set(try BuiltProgram(program).linked().compactMap { Self.packages[$0] })
        let installed = Set(chain(program).flatMap(\.packages)).intersection(Self.packages.values)
        #expect(linked.subtracting(installed) == [])
        #expect(installed.subtracting(linked).subtracting(stages["runtime"]?.packages ?? []) == [])
    }
}
