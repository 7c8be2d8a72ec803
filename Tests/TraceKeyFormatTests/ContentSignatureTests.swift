import Crypto
import Foundation
import TestSupport
import Testing
import TraceKeyFormat

@Suite struct ContentSignatureTests {
    private static let body = Array("[]".utf8)
    private static let issued: Int64 = 1_779_796_800
    private static let now = Date(timeIntervalSince1970: 1_779_796_800)

    private static func signature() throws -> ContentSignature {
        try ContentSignature(of: body, issued: issued, lifetime: 100)
    }

    @Test func `header and claims are those of swisscovid-cn-backend`() throws {
        let parts = try Self.signature().input.split(separator: ".").map { part in
            let base64 = String(part).replacing("-", with: "+").replacing("_", with: "/")
            let padded = base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)
            return String(decoding: try #require(Data(base64Encoded: padded)), as: UTF8.self)
        }
        // The digest of `[]`, by sha256sum and base64.
        #expect(
            parts == [
                #"{"alg":"ES256"}"#,
                #"{"content-hash":"T1PNoYwrqgwDVLtfmj7L5e0Sq02OEbqHPC8RFhICuUU=","exp":1779796900,"hash-alg":"sha-256","iat":1779796800,"iss":"dp3t"}"#,
            ])
    }

    @Test func `a token is verified with the public key, for this body, until it ends`() throws {
        let key = P256.Signing.PrivateKey()
        let made = try Self.signature()
        let token = try made.token(signature: Array(key.signature(for: made.digest).derRepresentation))
        let (signature, bytes) = try #require(ContentSignature.read(token))
        let read = try P256.Signing.ECDSASignature(derRepresentation: bytes)
        #expect(key.publicKey.isValidSignature(read, for: signature.digest))
        #expect(!P256.Signing.PrivateKey().publicKey.isValidSignature(read, for: signature.digest))
        #expect(signature.covers(Self.body, at: Self.now.addingTimeInterval(99)))
        #expect(!signature.covers(Self.body, at: Self.now.addingTimeInterval(100)))
        #expect(!signature.covers(Array("[ ]".utf8), at: Self.now))
    }

    @Test(arguments: ["", ".", "..", "a.b.c", "e30.e30.AA", "eyJhbGciOiJub25lIn0.e30."])
    func `what is no token isn't read`(_ text: String) {
        #expect(ContentSignature.read(text) == nil)
    }

    @Test func `a token in which a name stands twice isn't read`() throws {
        let key = P256.Signing.PrivateKey()
        let made = try Self.signature()
        let token = try made.token(signature: Array(key.signature(for: made.digest).derRepresentation))
        let parts = token.split(separator: ".")
        func changed(_ part: Substring, _ start: String) throws -> String {
            let base64 = part.replacing("-", with: "+").replacing("_", with: "/")
            let json = try #require(
                Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)))
            return (Data("{\(start)".utf8) + json.dropFirst()).base64EncodedString().replacing("+", with: "-")
                .replacing("/", with: "_").replacing("=", with: "")
        }
        #expect(ContentSignature.read("\(parts[0]).\(try changed(parts[1], #""a":0,"#)).\(parts[2])") != nil)
        #expect(ContentSignature.read("\(parts[0]).\(try changed(parts[1], #""iat":0,"#)).\(parts[2])") == nil)
        #expect(ContentSignature.read("\(try changed(parts[0], #""alg":"none","#)).\(parts[1]).\(parts[2])") == nil)
    }

    @Test(arguments: 0..<100)
    func `a changed token is no token, or isn't valid`(_ seed: UInt64) throws {
        var randomness = SeededGenerator(seed: seed)
        let key = P256.Signing.PrivateKey()
        let made = try Self.signature()
        let token = try made.token(signature: Array(key.signature(for: made.digest).derRepresentation))
        let changed: String = token.mutated(using: &randomness)
        guard let (signature, bytes) = ContentSignature.read(changed), signature.input != made.input else { return }
        let read = try P256.Signing.ECDSASignature(derRepresentation: bytes)
        #expect(!key.publicKey.isValidSignature(read, for: signature.digest))
    }
}
