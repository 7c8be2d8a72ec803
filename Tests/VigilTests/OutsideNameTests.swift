import Foundation
import SwiftASN1
import TestSupport
import Testing
import Vigil
import X509

@Suite("Names under which callers outside reach services")
struct OutsideNameTests {
    private static let now = Date()
    private static let day: TimeInterval = 86_400

    @Test("are in the service's certificate, beside those within the suite, and in no other's")
    func certificates() async throws {
        try await withSuite { folder in
            let outcomes = try prepare(
                folder, "test-result-server=Labs.Example.org", "test-result-server=2001:db8::7",
                "health-portal=192.0.2.1")
            #expect(outcomes == ["health-portal", "test-result-server"])
            let own = try alternatives("test-result-server", in: folder)
            #expect(own.contains(.dnsName("labs.example.org")) && own.contains(.dnsName("test-result-server")))
            #expect(
                own.contains(
                    .ipAddress(
                        ASN1OctetString(contentBytes: [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [7]))))
            #expect(
                try alternatives("health-portal", in: folder)
                    .contains(.ipAddress(ASN1OctetString(contentBytes: [192, 0, 2, 1]))))
            #expect(try !alternatives("verification-server", in: folder).contains(.dnsName("labs.example.org")))
        }
    }

    @Test("stay when certificates are renewed, until others are given")
    func renewal() async throws {
        try await withSuite { folder in
            _ = try prepare(folder, "test-result-server=labs.example.org")
            #expect(try prepare(folder).isEmpty)
            #expect(try prepare(folder, "test-result-server=labs.example.org").isEmpty)
            _ = try SuiteCertificates(in: folder, now: Self.now + 340 * Self.day).prepare()
            #expect(try alternatives("test-result-server", in: folder).contains(.dnsName("labs.example.org")))
            #expect(try prepare(folder, "test-result-server=results.example.org") == ["test-result-server"])
            let names = try alternatives("test-result-server", in: folder)
            #expect(names.contains(.dnsName("results.example.org")) && !names.contains(.dnsName("labs.example.org")))
        }
    }

    @Test(
        "are refused with a sentence if they are none",
        arguments: [
            ("labs.example.org", "SERVICE=NAME"), ("lab=labs.example.org", "no service"),
            ("results=labs.example.org", "no service"), ("test-result-server=", "DNS name"),
            ("test-result-server=https://labs.example.org", "DNS name"),
            ("test-result-server=a.example:8020", "DNS name"),
            ("test-result-server=*.example.org", "DNS name"), ("test-result-server=a_b.example.org", "DNS name"),
            ("test-result-server=-a.example.org", "DNS name"), ("test-result-server=a..example.org", "DNS name"),
            ("test-result-server=example.org.", "DNS name"), ("test-result-server=192.0.2", "DNS name"),
            ("test-result-server=192.0.2.256", "DNS name"), ("test-result-server=lä.example.org", "DNS name"),
            ("test-result-server=\(String(repeating: "a", count: 64)).example.org", "DNS name"),
            ("test-result-server=\(String(repeating: "a.", count: 127))example", "DNS name"),
            // With this one it could pose as another service.
            ("test-result-server=verification-server", "within the suite"), ("test-result-server=postgres", "within"),
        ])
    func refusals(text: String, reason: String) {
        let refusal = #expect(throws: CommandFailure.self) { try OutsideName(text) }
        #expect(refusal?.description.contains(reason) == true)
    }

    @Test("are in what callers are told, with the service's port")
    func notes() async throws {
        try await withSuite { folder in
            #expect(try notes("lab", in: folder).contains("https://localhost:8020/api/v1/lab/results"))
            _ = try prepare(folder, "test-result-server=labs.example.org", "data-donation=2001:db8::1")
            #expect(try notes("lab", in: folder).contains("https://labs.example.org:8020/api/v1/lab/results"))
            #expect(try notes("survey-server", in: folder).contains("https://[2001:db8::1]:8111/version/v1/otp"))
            #expect(try notes("contact-tracing", in: folder).contains("https://localhost:8072/v3/traceKeys"))
        }
    }

    private func withSuite(_ body: (StateFolder) throws -> Void) async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            _ = try SuiteCertificates(in: folder, now: Self.now).prepare()
            try body(folder)
        }
    }

    /// - Returns: the names of the certificates that were made.
    private func prepare(_ folder: StateFolder, _ names: String...) throws -> [String] {
        try SuiteCertificates(in: folder, now: Self.now).prepare(naming: names.map { try OutsideName($0) })
            .filter { $0.outcome == .made }.map(\.name).sorted()
    }

    private func alternatives(_ name: String, in folder: StateFolder) throws -> [GeneralName] {
        let pem = try #require(try folder.read(folder.certificate(name)))
        return Array(try #require(try Certificate(pemEncoded: pem).extensions.subjectAlternativeNames))
    }

    private func notes(_ name: String, in folder: StateFolder) throws -> String {
        try #require(try folder.read(folder.callerNotes(name)))
    }
}
