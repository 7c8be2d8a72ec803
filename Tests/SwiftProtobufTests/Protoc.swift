import Foundation
import TestSupport
import Testing

@testable import SwiftProtobuf

/// protoc, which Debian has in protobuf-compiler.
enum Protoc {
    private static let program = "/usr/bin/protoc"

    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    private static let formats = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Shared/Formats")

    /// The folders with schemas.
    private static func folders() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: formats.path)
            .map { formats.appending(path: "\($0)/Protobuf/protos").path }
            .filter { FileManager.default.fileExists(atPath: $0) }
    }

    /// A message with a repeated field for every message, so that one process does for all.
    private static func batchSchema() throws -> String {
        let imports = try folders().flatMap { try FileManager.default.contentsOfDirectory(atPath: $0) }
            .map { "import \"\($0)\";\n" }
        let fields = Sample.all.enumerated().map { "repeated .\($1.name) f\($0 + 1) = \($0 + 1);\n" }
        return "syntax = \"proto2\";\n\(imports.joined())message Batch {\n\(fields.joined())}\n"
    }

    private static func run(_ arguments: [String], input: [UInt8]) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (source, result) = (folder.appending(path: "input"), folder.appending(path: "output"))
        try Data(batchSchema().utf8).write(to: folder.appending(path: "batch.proto"))
        try Data(input).write(to: source)
        try Data().write(to: result)
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = try ([folder.path] + folders()).flatMap { ["-I", $0] } + arguments + ["batch.proto"]
        process.standardInput = try FileHandle(forReadingFrom: source)
        process.standardOutput = try FileHandle(forWritingTo: result)
        try process.start()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return Array(try Data(contentsOf: result))
    }

    /// Encodes a batch's text, a map's entries in the order of their keys, and divides it into its messages.
    static func encode(_ text: [UInt8]) throws -> [[UInt8]] {
        try RawField.fields(of: run(["--deterministic_output", "--encode=Batch"], input: text)).map(\.bytes)
    }

    /// The text of messages, each with its number in a batch.
    static func decode(_ messages: [(number: Int, bytes: [UInt8])]) throws -> [UInt8] {
        var writer = BinaryWriter()
        for (number, bytes) in messages {
            writer.tag(number, .lengthDelimited)
            bytes.withUnsafeBytes { writer.delimited($0) }
        }
        return try run(["--decode=Batch"], input: writer.bytes)
    }

    /// A `FileDescriptorSet` of all schemas.
    static func descriptors() throws -> [UInt8] {
        try run(["--include_imports", "--descriptor_set_out=/dev/stdout"], input: [])
    }
}
