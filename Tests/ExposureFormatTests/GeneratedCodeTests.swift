import Crypto
import Foundation
import Testing

/// The generated code is committed, so something has to notice when it and its schemas drift apart.
@Suite("Generated protobuf code")
struct GeneratedCodeTests {
    @Test("MANIFEST has the SHA-256 of every schema; after changing one, run Protobuf/generate.sh")
    func manifest() throws {
        let protos = Fixtures.protobuf.appending(path: "protos")
        let names = try FileManager.default.contentsOfDirectory(atPath: protos.path).sorted()
        let lines = try names.map { name in
            let digest = SHA256.hash(data: try Data(contentsOf: protos.appending(path: name)))
            return digest.map { String(format: "%02x", $0) }.joined() + "  " + name
        }
        let manifest = try Data(contentsOf: Fixtures.protobuf.appending(path: "Generated/MANIFEST"))
        #expect(String(decoding: manifest, as: UTF8.self) == lines.joined(separator: "\n") + "\n")
    }

    @Test("every schema has its generated file, and no other is left over")
    func files() throws {
        let schemas = try FileManager.default.contentsOfDirectory(
            atPath: Fixtures.protobuf.appending(path: "protos").path)
        let generated = try FileManager.default.contentsOfDirectory(
            atPath: Fixtures.protobuf.appending(path: "Generated").path)
        let expected = schemas.map { $0.replacing(".proto", with: ".pb.swift") } + ["MANIFEST"]
        #expect(Set(generated) == Set(expected))
    }
}
