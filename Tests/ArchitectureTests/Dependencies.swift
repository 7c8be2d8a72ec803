import Foundation
import Testing

/// The suite is built from the toolchain, from Debian's libraries and from what is in this checkout.
struct Dependencies {
    /// The ways in which a manifest takes something from elsewhere.
    private static let outside = #"\.package\(|\.product\(|\.binaryTarget\(|\bplugins?:"#

    private static func takesFromElsewhere(_ manifest: String) -> Bool {
        manifest.range(of: outside, options: .regularExpression) != nil
    }

    @Test("the manifest names no outside package")
    func manifest() throws {
        let manifest = try String(contentsOf: SourceTree.root.appending(path: "Package.swift"), encoding: .utf8)
        #expect(!Self.takesFromElsewhere(manifest))
        // The finder works.
        for line in [
            #"dependencies: [.package(url: "https://example.org/swift-log", exact: "1.0.0")]"#,
            #".product(name: "Logging", package: "swift-log")"#, #".binaryTarget(name: "Logging", path: "x.zip")"#,
        ] {
            #expect(Self.takesFromElsewhere(manifest + line))
        }
    }

    @Test("each C library is one that Debian has, in a module map of Shared/System, and is linked by nothing else")
    func libraries() throws {
        let manifest = try String(contentsOf: SourceTree.root.appending(path: "Package.swift"), encoding: .utf8)
        let declared = Set(manifest.matches(of: /system\("(\w+)"/).map { String($0.1) })
        let folder = SourceTree.root.appending(path: "Shared/System")
        let present = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(declared == Set(present))
        #expect(!manifest.contains(".linkedLibrary("))
        // What is not of the C library itself is installed by deploy/machine.sh.
        let machine = try String(contentsOf: SourceTree.root.appending(path: "deploy/machine.sh"), encoding: .utf8)
        let packages = manifest.matches(of: /apt: "([a-z0-9-]+)"/).map { String($0.1) }
        #expect(packages.count > 5)
        for package in packages { #expect(machine.contains(" \(package) "), "\(package)") }
    }
}
