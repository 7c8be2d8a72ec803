import Catalogue
import Foundation
import TestSupport
import Testing

/// A program of this build.
struct BuiltProgram {
    /// Where it is.
    let path: String

    /// Programs lie beside the test bundle.
    init(_ name: String) throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var folder = URL(filePath: own).deletingLastPathComponent()
        while folder.path != "/" {
            let candidate = folder.appending(path: name).path
            if FileManager.default.isExecutableFile(atPath: candidate) {
                path = candidate
                return
            }
            folder.deleteLastPathComponent()
        }
        // The test runner itself may lie in the toolchain; then the build folder is below the checkout.
        path = SourceTree.root.appending(path: ".build/debug/\(name)").path
    }

    /// The names of the libraries that are loaded with it, with those that they need themselves.
    func libraries() throws -> [String] {
        // Such as "	libpq.so.5 => /usr/lib/x86_64-linux-gnu/libpq.so.5 (0x…)".
        try Self.output("/usr/bin/ldd", [path]).map { String($0.drop { $0.isWhitespace }.prefix { !$0.isWhitespace }) }
    }

    /// The libraries that it is linked with itself, without their versions.
    func linked() throws -> [String] {
        // Such as " 0x… (NEEDED)             Shared library: [libpq.so.5]".
        try Self.output("/usr/bin/readelf", ["--dynamic", path])
            .compactMap { $0.firstMatch(of: /\(NEEDED\).*\[(\S+?)\.so/).map { String($0.1) } }
    }

    /// The lines that it prints, if it ends well.
    func output(_ arguments: String...) throws -> [String] { try Self.output(path, arguments) }

    /// The lines that a program prints, if it ends well.
    static func output(_ path: String, _ arguments: [String]) throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.start()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map { String($0) }
    }

    /// Whether a type's name is anywhere in it.
    func contains(_ type: String) throws -> Bool {
        try Data(contentsOf: URL(filePath: path)).range(of: Data(type.utf8)) != nil
    }
}
