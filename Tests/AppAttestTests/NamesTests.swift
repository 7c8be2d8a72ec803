import AppAttest
import Crypto
import DevelopmentAttestation
import Foundation
import Testing

/// Apps, keys and their names.
@Suite struct NamesTests {
    @Test(arguments: ["ABCDE12345.org.example.app", "0123456789.a", "ABCDEFGHIJ.de.example.App-2"])
    func `an App ID is read`(_ text: String) throws {
        let app = try #require(AppID(text))
        #expect(app.text == text)
        #expect(app.hash == Array(SHA256.hash(data: Data(text.utf8))))
    }

    @Test(arguments: [
        "", ".", "ABCDE12345", "ABCDE12345.", "ABCDE1234.org.example", "ABCDE123456.org.example",
        "abcde12345.org.example",
        "ABCDE12345 .org", "ABCDE12345.org example", "ABCDE12345.*", "ABCDE12345.org_example", "ABCDE12345.örg",
        " ABCDE12345.org", "ABCDE12345.org\n", "ABCDE1234É.org", "ABCDE12345.@", "ABCDE12345.[",
        "ABCDE12345." + String(repeating: "a", count: 156),
    ]) func `no App ID is refused`(_ text: String) {
        #expect(AppID(text) == nil)
    }

    @Test func `a key's name has 32 bytes, and one text`() throws {
        let text = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        let name = try #require(AppAttestKeyID(base64: text))
        #expect(name.bytes == Array(SHA256.hash(data: Data())))
        #expect(AppAttestKeyID(name.bytes) == name)
        for other in [
            "", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU", text + "\n",
            "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=",
            "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=", String(repeating: "A", count: 44),
            "AAAA" + text.dropFirst(8),
            "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hS\nFU=",
        ] {
            #expect(AppAttestKeyID(base64: other) == nil, "\(other)")
        }
        #expect(AppAttestKeyID(name.bytes.dropLast()) == nil)
        #expect(AppAttestKeyID(name.bytes + [0]) == nil)
    }

    @Test func `a public key is a point on the curve, uncompressed`() throws {
        let point = P256.Signing.PrivateKey().publicKey
        let key = try #require(AppAttestPublicKey(x963: point.x963Representation))
        #expect(key == AppAttestPublicKey(point))
        #expect(key.x963.count == 65)
        #expect(AppAttestKeyID(key).bytes == Array(SHA256.hash(data: point.x963Representation)))
        #expect(AppAttestPublicKey(x963: point.compressedRepresentation) == nil)
        #expect(AppAttestPublicKey(x963: point.rawRepresentation) == nil)
        #expect(AppAttestPublicKey(x963: point.x963Representation + [0]) == nil)
        var other = point.x963Representation
        other[64] ^= 1
        #expect(AppAttestPublicKey(x963: other) == nil)
    }

    @Test func `neither a key nor its name is shown`() throws {
        let bench = try Bench.shared.get()
        let attested = try bench.verify(bench.authority.attest(bench.template()).bytes)
        let key = attested.publicKey
        var shown = "\(key) \(AppAttestKeyID(key)) \(attested) \(String(reflecting: attested)) \([key])"
        dump(attested, to: &shown)
        #expect(shown.contains("key ID"))
        for secret in [key.x963, AppAttestKeyID(key).bytes] {
            let lists = secret.windows(of: 3).map { "\($0[0]), \($0[1]), \($0[2])" }
            #expect(!lists.contains { shown.contains($0) })
            #expect(!shown.contains(Data(secret).base64EncodedString().prefix(8)))
        }
    }

    @Test func `a metric's labels are in small letters`() {
        #expect(AppAttestFlaw.allCases.allSatisfy { $0.rawValue.wholeMatch(of: /[a-z_]+/) != nil })
    }
}

extension Array {
    fileprivate func windows(of count: Int) -> [ArraySlice<Element>] {
        indices.dropLast(count - 1).map { self[$0..<($0 + count)] }.map { ArraySlice(Array($0)) }
    }
}
