import Catalogue
import Foundation
import TestSupport
import Testing

/// What the executables may know, beyond what Package.swift's arrows say.
struct TrustZones {
    /// A service's module: the target of Package.swift whose executable the catalogue names.
    struct Module: Sendable, CustomTestStringConvertible {
        let name: String
        let folder: String
        let executable: String

        var testDescription: String { name }

        static let all: [Module] = {
            let path = SourceTree.root.appending(path: "Package.swift")
            let manifest = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
            let executables = Set(Catalogue.services.map(\.executable))
            return manifest.matches(
                of: /service\(\s*"(\w+)",(?:\s*path: "([^"]+)",)?\s*executable: "([a-z-]+)"/
            ).filter { executables.contains(String($0.3)) }
                .map {
                    Module(
                        name: String($0.1), folder: $0.2.map(String.init) ?? "Services/\($0.1)",
                        executable: String($0.3))
                }
        }()
    }

    @Test("every executable of the catalogue has one module")
    func modules() {
        #expect(Module.all.count == Set(Catalogue.services.map(\.executable)).count)
    }

    @Test("a service imports no other service", arguments: Module.all)
    func services(module: Module) throws {
        let tree = try SourceTree(module.folder)
        for other in Module.all where other.name != module.name {
            let imports = try tree.lines(matching: "^(package |@testable )?import \(other.name)$") {
                !$0.path.contains("/Main/")
            }
            #expect(imports.isEmpty)
        }
    }

    @Test("the metadata proxy links no database: neither libpq nor a line of Shared/Platform/Postgres")
    func proxyLinksNoDatabase() throws {
        let proxy = try BuiltProgram("metadata-proxy")
        #expect(try !proxy.libraries().contains { $0.hasPrefix("libpq.") })
        #expect(try !proxy.contains("PostgresClient"))
        // The finder works: a service with a database is caught by it.
        let other = try BuiltProgram("submission-server")
        #expect(try other.libraries().contains { $0.hasPrefix("libpq.") })
        #expect(try other.contains("PostgresClient"))
    }

    @Test(
        "the download server links no database, no signing and no object store: it can't give away what it doesn't hold"
    )
    func downloadServerHoldsNothing() throws {
        let server = try BuiltProgram("download-server")
        #expect(try !server.libraries().contains { $0.contains(/^lib(pq|zip|p11)/) })
        let publisher = try BuiltProgram("distribution")
        for type in [
            "PostgresClient", "PKCS11Session", "SigningKeyEntry", "SignedArchive", "S3Credentials", "DirectoryStore",
        ] {
            #expect(try !server.contains(type), "\(type)")
            // The finder works: what publishes has them all.
            #expect(try publisher.contains(type), "\(type)")
        }
    }

    @Test("the download server opens files for reading only, and changes nothing in a folder")
    func downloadServerWritesNothing() throws {
        let tree = try SourceTree("Services/DownloadServer", "Shared/Platform/FileAnswers")
        let opened = try tree.lines(matching: #"\bopen\("#)
        #expect(opened.count == 1 && opened.allSatisfy { $0.text.contains("O_RDONLY | O_CLOEXEC)") })
        let writing =
            #"\b(O_WRONLY|O_RDWR|O_CREAT|pwrite|ftruncate|unlink|rename|mkdir|rmdir|futimens|FileManager|FileHandle|DurableFile)\b"#
            + #"|\.write\(to:"#
        #expect(try tree.lines(matching: writing).isEmpty)
    }

    @Test("domain modules know no input or output")
    func domain() throws {
        let tree = try SourceTree("Shared/Domain/ExposureKeys", "Shared/Domain/Credentials")
        let known = try tree.lines(
            matching:
                "^(package )?import (Loop|HTTP|Outside|Postgres|Running|Serving|Calling|TLS|COpenSSL|Glibc|Foundation$)"
        )
        #expect(known.isEmpty)
    }

    @Test("each service's README gives its six answers", arguments: Module.all)
    func readmes(module: Module) throws {
        let path = SourceTree.root.appending(path: "\(module.folder)/README.md")
        let headings = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("## ") }.map { $0.dropFirst(3).lowercased() }
        for answer in ["what for", "trust zone", "endpoints", "configuration", "tables and retention", "metrics"] {
            #expect(headings.contains { $0.contains(answer) }, "\(answer)")
        }
    }
}
