import Foundation
import HTTPContract
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import Serving
@testable import TLS

/// Reading a certificate always yields a caller, whatever its name fields contain.
@Suite struct CertificateMutationTests {
    @Test("a mutated certificate yields a caller with its role or with none")
    func mutations() throws {
        let certificates = try TestCertificates()
        let pem = try withExtendedLifetime(certificates) {
            let files = try certificates.files(role: .lab, name: "Laboratory 7")
            return try String(contentsOfFile: files.certificate, encoding: .utf8)
        }
        let lines = pem.split(separator: "\n").drop { !$0.hasPrefix("-----BEGIN") }.dropFirst()
            .prefix { !$0.hasPrefix("-----END") }
        let der = try #require(Data(base64Encoded: lines.joined()))
        #expect(Caller(certificate: PeerCertificate(derBytes: Array(der))).role == .lab)
        var randomness = SeededGenerator(seed: 0x6365_7274)
        var read = 0
        for turn in 0..<4000 {
            var changed = der
            // Other mutations than single-byte changes break the DER lengths, so both kinds are needed.
            if turn.isMultiple(of: 4) {
                changed = der.mutated(using: &randomness)
            } else {
                changed[.random(in: der.indices, using: &randomness)] = .random(in: .min ... .max, using: &randomness)
            }
            let caller = Caller(certificate: PeerCertificate(derBytes: Array(changed)))
            if (try? Certificate(derEncoded: Array(changed))) != nil { read += 1 }
            #expect(caller.role == nil || caller.role == .lab)
        }
        #expect(read > 1000)
    }

    @Test(
        "only the exact URI of a role maps to that role",
        arguments: [
            "", "vigil:role:", "vigil:role:lab ", " vigil:role:lab", "VIGIL:role:lab", "vigil:role:Lab",
            "vigil:role:lab\0", "vigil:role:lab\u{301}", "vigil:role\u{37E}lab", "vigil:role:lab,portal",
            "vigil:role:lab/", "vigil:role:l%61b",
        ])
    func uris(uri: String) {
        #expect(Role(certificateURI: uri) == nil)
    }
}
