import Foundation

/// The executables that were built together with the tests.
package enum BuiltProgram {
    /// An executable wasn't found.
    package struct Missing: Error {
        package let name: String
    }

    /// The path of an executable.
    ///
    /// Executables are next to the test bundle. If the test runner is in the toolchain instead, they are in the checkout's
    /// build folder.
    package static func path(_ name: String) throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent()
        let builds = ["debug", "release"].map { checkout.appending(path: ".build/\($0)") }
        let parents = sequence(first: URL(filePath: own).deletingLastPathComponent()) { folder in
            folder.path == "/" ? nil : folder.deletingLastPathComponent()
        }
        for folder in Array(parents) + builds {
            let candidate = folder.appending(path: name).path
            if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
        }
        throw Missing(name: name)
    }
}
