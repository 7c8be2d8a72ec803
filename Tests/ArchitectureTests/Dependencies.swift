import Foundation
import Testing

/// What is built is what was reviewed: no file of resolved versions lies in the checkout, so the manifest names them.
struct Dependencies {
    private static func packages(of manifest: String) throws -> (all: Int, exact: Int) {
        func count(_ pattern: String) throws -> Int {
            try NSRegularExpression(pattern: pattern)
                .numberOfMatches(in: manifest, range: NSRange(location: 0, length: (manifest as NSString).length))
        }
        return (
            try count(#"\.package\("#), try count(#"\.package\(\s*url: "[^"]+",\s*exact: "\d+\.\d+\.\d+"\s*\)"#)
        )
    }

    @Test("every outside package has one exact version")
    func exact() throws {
        let manifest = try String(contentsOf: SourceTree.root.appending(path: "Package.swift"), encoding: .utf8)
        let packages = try Self.packages(of: manifest)
        #expect(packages.all > 0)
        #expect(packages.exact == packages.all)
        // The finder works.
        for looser in ["from: ", ".upToNextMinor(from: ", "branch: ", "revision: "] {
            let loose = manifest.replacing("exact: ", with: looser, maxReplacements: 1)
            #expect(try Self.packages(of: loose).exact < packages.all)
        }
    }

    /// What the packages of the manifest bring with them. The manifest can't name these versions: SwiftPM warns of what no
    /// target uses.
    private static let brought = [
        "swift-algorithms": "1.2.1", "swift-async-algorithms": "1.1.4", "swift-atomics": "1.3.0",
        "swift-distributed-tracing": "1.7.3", "swift-http-structured-headers": "1.7.0",
        "swift-nio-transport-services": "1.28.0", "swift-numerics": "1.1.1", "swift-service-context": "1.5.1",
        "swift-system": "1.8.1",
    ]

    private struct Workspace: Decodable {
        struct Object: Decodable { let dependencies: [Dependency] }
        struct Dependency: Decodable {
            let packageRef: Reference
            let state: State
        }
        struct Reference: Decodable { let identity: String }
        struct State: Decodable { let checkoutState: Checkout }
        struct Checkout: Decodable { let version: String? }
        let object: Object
    }

    @Test(
        "what was built has the versions of the manifest, and of the list of what its packages bring"
    )
    func built() throws {
        let file = try Data(contentsOf: SourceTree.root.appending(path: ".build/workspace-state.json"))
        let dependencies = try JSONDecoder().decode(Workspace.self, from: file).object.dependencies
        let versions = Dictionary(
            uniqueKeysWithValues: dependencies.map { ($0.packageRef.identity, $0.state.checkoutState.version) })
        let manifest = try String(contentsOf: SourceTree.root.appending(path: "Package.swift"), encoding: .utf8)
        #expect(Set(versions.keys).isSuperset(of: Self.brought.keys))
        for (name, version) in versions {
            let version = try #require(version, "\(name) has no version")
            #expect(
                Self.brought[name] == version || manifest.contains("/\(name)\", exact: \"\(version)\")"),
                "\(name) \(version)")
        }
    }
}
