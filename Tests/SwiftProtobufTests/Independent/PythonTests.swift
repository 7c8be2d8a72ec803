import Foundation
import TestSupport
import Testing

@testable import SwiftProtobuf

/// What Python's protobuf package makes of the same messages (`messages.py`), in one process for all of them.
@Suite(
    "Python's protobuf agrees", .heavy, .timeLimit(.minutes(5)),
    .enabled(if: TestPython.isAvailable && Protoc.isInstalled, "VIGIL_TEST_PYTHON is not set, or there is no protoc"))
struct PythonTests {
    /// A line of the script.
    private struct Line {
        let kind, name, what: String
        let input: [UInt8]
        /// The bytes that Python writes after it has read the input; nil if it refuses it.
        let expected: [UInt8]?

        init(_ text: Substring) throws {
            let words = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            try #require(words.count == 5)
            (kind, name, what) = (words[0], words[1], words[2])
            input = Array(try #require(Data(base64Encoded: words[3])))
            expected = words[4] == "-" ? nil : Array(try #require(Data(base64Encoded: words[4])))
        }
    }

    private static let types = Dictionary(uniqueKeysWithValues: Sample.all.map { ($0.name, $0.type) })
    private static let lines = Result { try exchange() }

    /// Random messages of every type go to the script, and its lines come back.
    private static func exchange() throws -> [Line] {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["descriptors", "messages", "result"].map { folder.appending(path: $0) }
        try Data(Protoc.descriptors()).write(to: files[0])
        var randomness = SeededGenerator(seed: 10)
        var text = ""
        for sample in Sample.all {
            for _ in 0..<20 {
                let message = try RandomMessage.of(sample.type, by: &randomness)
                let forms = [Data(try message.bytes()), Data(try message.jsonUTF8Bytes())]
                text += "\(sample.name)\t\(forms.map { $0.base64EncodedString() }.joined(separator: "\t"))\n"
            }
        }
        try Data(text.utf8).write(to: files[1])
        let process = try TestPython.process(
            "../SwiftProtobufTests/Independent/messages.py", files.map(\.path))
        try process.start()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return try String(decoding: Data(contentsOf: files[2]), as: UTF8.self).split(separator: "\n").map(Line.init)
    }

    @Test("Python reads bytes and JSON of random messages as the same message, and writes the same bytes")
    func written() throws {
        for line in try Self.lines.get() where line.kind == "wrong" {
            Issue.record("\(line.name): \(line.what) \(line.input) \(String(describing: line.expected))")
        }
    }

    @Test(
        "this module reads and refuses the same inputs of every message, and writes the same bytes afterwards",
        arguments: ["bytes", "json"])
    func read(kind: String) throws {
        let lines = try Self.lines.get().filter { $0.kind == kind }
        #expect(Set(lines.map(\.name)) == Set(Self.types.keys))
        for line in lines {
            let type = try #require(Self.types[line.name])
            var options = BinaryDecodingOptions()
            options.discardUnknownFields = line.what == "changed"
            let message =
                kind == "json"
                ? try? type.init(jsonUTF8Bytes: line.input)
                : try? type.init(serializedBytes: line.input, options: options)
            let bytes = try message?.bytes()
            // Not as an operand of #expect, which is slow, some ten thousand times.
            guard bytes != line.expected else { continue }
            Issue.record("\(line.name): \(line.what) \(line.input) gives \(bytes ?? []), not \(line.expected ?? [])")
        }
    }
}
