import CompactJOSE
import Crypto
import CryptoExtras
import DevelopmentAttestation
import Foundation
import SafetyNet
import TestSupport
import Testing

/// A statement's form and signature.
@Suite(.heavy) struct StatementTests {
    @Test func `a statement is read`() throws {
        let statement = try SafetyNetStatement(
            Sample.mint.token(Sample.statement()), roots: Sample.roots, now: Sample.now)
        #expect(statement.nonce == Sample.statement().nonce)
        #expect(statement.instant == Sample.now)
        #expect(statement.packageName == Sample.packageName)
        #expect(statement.certificateDigests == [Data(Sample.digest).base64EncodedString()])
        #expect(statement.hasBasicIntegrity)
        #expect(statement.matchesProfile)
        #expect(statement.evaluations == ["BASIC", "HARDWARE_BACKED"])
    }

    @Test(arguments: ["none", "HS256", "RS384", "RS512", "PS256", "ES256", "rs256", "RS1", ""])
    func `another algorithm is refused, though the signature is right`(_ algorithm: String) throws {
        let token = try Sample.mint.token(payload: Sample.statement().json, algorithm: algorithm)
        #expect(try Sample.flaw(of: token) == .unreadable)
    }

    @Test func `nothing is missing, and anything else unreadable`() throws {
        #expect(try Sample.flaw(of: "") == .missing)
        let token = try Sample.mint.token(Sample.statement())
        for text in [
            " ", "..", "x", "\(token).", "\(token).AAAA", token.split(separator: ".").dropLast().joined(separator: "."),
            "\(token)=", "\(token)\n",
        ] {
            #expect(try Sample.flaw(of: text) == .unreadable)
        }
    }

    @Test func `a statement may be as long as the limit, and no longer`() throws {
        func token(_ count: Int) throws -> String {
            let json = String(decoding: try Sample.statement().json, as: UTF8.self)
            let padding = String(repeating: "x", count: count)
            return try Sample.mint.token(payload: Array("\(json.dropLast()),\"error\":\"\(padding)\"}".utf8))
        }
        let room = try SafetyNetStatement.longest - token(0).utf8.count
        // Base64 has four letters for three bytes.
        let longest = try token(room / 4 * 3)
        #expect((SafetyNetStatement.longest - 4...SafetyNetStatement.longest).contains(longest.utf8.count))
        #expect(try Sample.flaw(of: longest) == nil)
        #expect(try Sample.flaw(of: token(room / 4 * 3 + 6)) == .unreadable)
    }

    @Test func `a signature by another key, or none, is refused`() throws {
        let json = try Sample.statement().json
        let other = try SafetyNetMint(root: Sample.made.get().root, validity: Sample.validity)
        let certificates = try Sample.mint.certificates
        #expect(try Sample.flaw(of: other.token(payload: json, certificates: certificates)) == .forged)
        let parts = try Sample.mint.token(Sample.statement()).split(separator: ".")
        #expect(try Sample.flaw(of: "\(parts[0]).\(parts[1]).") == .forged)
        #expect(try Sample.flaw(of: "\(parts[0]).\(parts[1]).AAAA") == .forged)
        let secret = SymmetricKey(data: Data(certificates[0].utf8))
        let header = #"{"alg":"RS256","x5c":["\#(certificates[0])","\#(certificates[1])"]}"#
        let confused = CompactJWS.text(header: header.utf8, payload: json) {
            HMAC<SHA256>.authenticationCode(for: $0, using: secret)
        }
        #expect(try Sample.flaw(of: confused) == .forged)
    }

    @Test(
        arguments: [
            ("1795521600000", "\"1795521600000\""), ("1795521600000", "-1"), ("1795521600000", "10000000000000"),
            ("1795521600000", "1.5"), ("1795521600000", "null"), ("timestampMs", "timestamp"), ("true", "\"true\""),
            ("true", "1"), ("\"apkCertificateDigestSha256\":[", "\"apkCertificateDigestSha256\":\"\",\"x\":["),
            ("\"BASIC,HARDWARE_BACKED\"", "[\"BASIC\"]"), ("\"nonce\":", "\"nonce\":1,\"x\":"), ("{", "["), ("{", ""),
        ])
    func `a statement in another form is refused`(_ old: String, _ new: String) throws {
        let good = String(decoding: try Sample.statement().json, as: UTF8.self)
        let changed = good.replacing(old, with: new)
        try #require(changed != good)
        #expect(try Sample.flaw(of: Sample.mint.token(payload: Array(changed.utf8))) == .unreadable)
    }

    @Test func `an answer about an error says nothing good`() throws {
        let json = #"{"timestampMs":1795521600000,"ctsProfileMatch":false,"error":"internal_error"}"#
        let token = try Sample.mint.token(payload: Array(json.utf8))
        let statement = try SafetyNetStatement(token, roots: Sample.roots, now: Sample.now)
        #expect(statement.nonce == nil && statement.packageName == nil && statement.certificateDigests == [])
        #expect(!statement.hasBasicIntegrity && !statement.matchesProfile && statement.evaluations == [])
    }

    @Test(
        arguments: [
            ("BASIC", ["BASIC"]), ("HARDWARE_BACKED", ["HARDWARE_BACKED"]), ("", []), (",", []),
            ("BASIC, HARDWARE_BACKED", ["BASIC", "HARDWARE_BACKED"]), ("NO_BASIC", ["NO_BASIC"]),
        ] as [(String, Set<String>)])
    func `evaluations are whole words`(_ text: String, _ evaluations: Set<String>) throws {
        let token = try Sample.mint.token(Sample.statement { $0.evaluationType = text })
        #expect(try SafetyNetStatement(token, roots: Sample.roots, now: Sample.now).evaluations == evaluations)
    }

    @Test func `a statement with any byte changed is refused`() throws {
        let token = Array(try Sample.mint.token(Sample.statement()).utf8)
        var random = SeededGenerator(seed: 5)
        for place in token.indices where place % 3 == 0 {
            var changed = token
            changed[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            let text = String(decoding: changed, as: UTF8.self)
            // The header isn't signed but for its text; the certificates in it are.
            #expect(try Sample.flaw(of: text) != nil, "at \(place)")
        }
    }

    @Test func `random changes and random bytes end in a flaw`() throws {
        let token = try Sample.mint.token(Sample.statement())
        var random = SeededGenerator(seed: 6)
        for _ in 0..<500 {
            let changed = token.mutated(using: &random)
            if changed != token { #expect(try Sample.flaw(of: changed) != nil) }
        }
        let json = Data(try Sample.statement().json)
        for _ in 0..<100 {
            let token = try Sample.mint.token(payload: Array(json.mutated(using: &random)))
            let flaw = try Sample.flaw(of: token)
            #expect(flaw == nil || flaw == .unreadable)
        }
    }
}
