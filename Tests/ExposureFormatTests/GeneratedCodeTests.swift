import Crypto
import Foundation
import Testing

/// The committed generated code must match its schemas. That it has their messages and fields is tested with SwiftProtobuf.
@Suite("Generated protobuf code")
struct GeneratedCodeTests {
    /// The modules that have schemas.
    static let modules = ["ExposureFormat", "PushFormat", "TraceKeyFormat", "FederationFormat", "DonationFormat"]

    @Test(
        "MANIFEST has the SHA-256 of every schema; after changing one, run ExposureFormat/Protobuf/generate.sh",
        arguments: modules)
    func manifest(of module: String) throws {
        let protos = Fixtures.protobuf(of: module).appending(path: "protos")
        let names = try FileManager.default.contentsOfDirectory(atPath: protos.path).sorted()
        let lines = try names.map { name in
            let digest = SHA256.hash(data: try Data(contentsOf: protos.appending(path: name)))
            return digest.map { String(format: "%02x", $0) }.joined() + "  " + name
        }
        let manifest = try Data(contentsOf: Fixtures.protobuf(of: module).appending(path: "Generated/MANIFEST"))
        #expect(String(decoding: manifest, as: UTF8.self) == lines.joined(separator: "\n") + "\n")
    }

    @Test("every schema has its generated file, and no other is left over", arguments: modules)
    func files(of module: String) throws {
        let schemas = try FileManager.default.contentsOfDirectory(
            atPath: Fixtures.protobuf(of: module).appending(path: "protos").path)
        let generated = try FileManager.default.contentsOfDirectory(
            atPath: Fixtures.protobuf(of: module).appending(path: "Generated").path)
        let expected = schemas.map { $0.replacing(".proto", with: ".pb.swift") } + ["MANIFEST"]
        #expect(Set(generated) == Set(expected))
    }
}
