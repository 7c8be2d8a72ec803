import CompactJOSE
import Crypto
import CryptoExtras
import Foundation
import OfficerIdentity
import TestSupport
import Testing

@Suite struct ProviderKeySetTests {
    private func isAccepted(_ token: String, by keys: [TestKey]) throws -> Bool {
        let set = try #require(ProviderKeySet(json: TestKey.set(keys)))
        return SignedToken<Subject>(token).map(set.verify) ?? false
    }

    @Test("a key verifies its own algorithm and no other")
    func algorithms() throws {
        let keys = [TestKey.ec("ES256"), try .rsa("RS256", "RS256"), try .rsa("PS256", "PS256")]
        let names = ["ES256", "RS256", "PS256"]
        for (key, name) in zip(keys, names) {
            for signed in names {
                #expect(try isAccepted(key.token(signed, kid: name), by: keys) == (signed == name), "\(name) \(signed)")
            }
            for other in names where other != name {
                #expect(try !isAccepted(key.token(name, kid: other), by: keys), "\(name) by the name of \(other)")
            }
        }
        // The other padding under the right name.
        for (name, signed) in [("RS256", "PS256"), ("PS256", "RS256")] {
            let header = #"{"alg":"\(name)","kid":"\(name)"}"#
            #expect(try !isAccepted(keys[1].token(signed, kid: name, header: header), by: keys), "\(name) \(signed)")
        }
    }

    @Test(
        "other algorithms are refused",
        arguments: [
            "none", "None", "HS256", "RS384", "RS512", "PS384", "PS512", "ES384", "ES512", "ES256K", "EdDSA",
            "RSA-OAEP",
            "rs256", "es256", "", "ES256 ",
        ])
    func others(algorithm: String) throws {
        let keys = [TestKey.ec("ES256"), try .rsa("RS256", "RS256"), try .rsa("PS256", "PS256")]
        for (key, name) in zip(keys, ["ES256", "RS256", "PS256"]) {
            let header = #"{"alg":"\#(algorithm)","kid":"\#(name)"}"#
            #expect(try !isAccepted(key.token(name, kid: name, header: header), by: keys))
            let unsigned = CompactJWS.text(header: header.utf8, payload: #"{"sub":"s"}"#.utf8) { _ in [] as [UInt8] }
            #expect(try !isAccepted(unsigned, by: keys))
        }
        // Nor does a key become one of it.
        #expect(ProviderKeySet(json: TestKey.set(keys.map { $0.with("alg", #""\#(algorithm)""#) })) == nil)
    }

    @Test("a public key isn't a secret with which others could sign")
    func publicKeyAsSecret() throws {
        let (ec, rsa) = (TestKey.ec("k"), try TestKey.rsa("k", "RS256"))
        guard case .ec(let point) = ec.secret, case .rsa(let numbers) = rsa.secret else { return }
        let x = point.publicKey.rawRepresentation.prefix(32)
        let modulus = try numbers.publicKey.getKeyPrimitives().modulus
        for (key, secret) in [
            (ec, Array(x)), (ec, Array(Base64URL.text(x).utf8)), (ec, Array(point.publicKey.pemRepresentation.utf8)),
            (ec, Array(point.publicKey.derRepresentation)), (ec, Array(ec.json.utf8)), (rsa, Array(modulus)),
            (rsa, Array(Base64URL.text(modulus).utf8)), (rsa, Array(numbers.publicKey.pemRepresentation.utf8)),
            (rsa, Array(numbers.publicKey.derRepresentation)), (rsa, Array(rsa.json.utf8)),
        ] {
            for algorithm in ["HS256", "ES256", "RS256"] {
                let token = CompactJWS.text(
                    header: #"{"alg":"\#(algorithm)","kid":"k"}"#.utf8, payload: #"{"sub":"s"}"#.utf8
                ) { Array(HMAC<SHA256>.authenticationCode(for: $0, using: SymmetricKey(data: secret))) }
                #expect(try !isAccepted(token, by: [key]))
            }
        }
    }

    @Test("a key that names no algorithm has the one of its type")
    func withoutAlgorithm() throws {
        let ec = TestKey.ec("k").with("alg", nil)
        #expect(try isAccepted(ec.token("ES256", kid: "k"), by: [ec]))
        let rsa = try TestKey.rsa("k", "RS256").with("alg", nil)
        #expect(try isAccepted(rsa.token("RS256", kid: "k"), by: [rsa]))
        #expect(try !isAccepted(rsa.token("PS256", kid: "k"), by: [rsa]))
        // Without any of the optional members.
        let bare = rsa.with("use", nil)
        #expect(try isAccepted(bare.token("RS256", kid: "k"), by: [bare]))
    }

    @Test("a token is verified by the key that it names, and by no other")
    func names() throws {
        let keys = [TestKey.ec("a"), .ec("b")]
        #expect(try isAccepted(keys[0].token("ES256", kid: "a"), by: keys))
        for header in [
            #"{"alg":"ES256"}"#, #"{"alg":"ES256","kid":""}"#, #"{"alg":"ES256","kid":"b"}"#,
            #"{"alg":"ES256","kid":"c"}"#, #"{"alg":"ES256","kid":null}"#, #"{"alg":"ES256","kid":["a"]}"#,
            #"{"alg":"ES256","kid":"a","crit":["exp"]}"#, #"{"alg":"ES256","kid":"a","crit":[]}"#,
            #"{"alg":"ES256","kid":"a","b64":false,"crit":["b64"]}"#, #"{"alg":"ES256","kid":"a","zip":"DEF"}"#,
            #"{"alg":"ES256","jwk":\#(keys[0].json)}"#,
        ] {
            #expect(try !isAccepted(keys[0].token("ES256", kid: "a", header: header), by: keys), "\(header)")
        }
        // Its own key in the header doesn't count.
        let foreign = TestKey.ec("a")
        let header = #"{"alg":"ES256","kid":"a","jwk":\#(foreign.json),"jku":"https://keys.test"}"#
        #expect(try !isAccepted(foreign.token("ES256", kid: "a", header: header), by: keys))
        // Of two keys with one name the first counts.
        let twins = [TestKey.ec("a"), .ec("a")]
        #expect(try isAccepted(twins[0].token("ES256", kid: "a"), by: twins))
        #expect(try !isAccepted(twins[1].token("ES256", kid: "a"), by: twins))
    }

    @Test("a signature of ECDSA is two numbers of 32 bytes, not a sequence in DER")
    func rawSignatures() throws {
        let key = TestKey.ec("a")
        guard case .ec(let secret) = key.secret else { return }
        let header = #"{"alg":"ES256","kid":"a"}"#.utf8
        func token(_ change: ([UInt8]) throws -> [UInt8]) throws -> String {
            try CompactJWS.text(header: header, payload: #"{"sub":"s"}"#.utf8) { bytes in
                try change(Array(secret.signature(for: bytes).rawRepresentation))
            }
        }
        #expect(try isAccepted(token { $0 }, by: [key]))
        let refused: [([UInt8]) throws -> [UInt8]] = [
            { Array(try P256.Signing.ECDSASignature(rawRepresentation: $0).derRepresentation) },
            { Array($0.dropLast()) }, { $0 + [0] }, { [0] + $0 }, { $0.suffix(32) + $0.prefix(32) },
            { [UInt8](repeating: 0, count: 32) + $0.suffix(32) }, { $0.prefix(32) + [UInt8](repeating: 0, count: 32) },
            { _ in [UInt8](repeating: 0, count: 64) }, { _ in [UInt8](repeating: 255, count: 64) }, { _ in [] },
        ]
        for change in refused { #expect(try !isAccepted(token(change), by: [key])) }
    }

    @Test("keys that can't be used are skipped, and the others stay")
    func skipped() throws {
        let ec = TestKey.ec("k")
        let rsa = try TestKey.rsa("k", "RS256")
        let good = TestKey.ec("good")
        let small = try _RSA.Signing.PrivateKey(unsafeKeySize: _RSA.Signing.KeySize(bitCount: 2040))
        let smallModulus = Base64URL.text(try small.publicKey.getKeyPrimitives().modulus)
        let modulus = { (bits: Int) in
            #""\#(Base64URL.text([UInt8(0x80)] + [UInt8](repeating: 0xFF, count: bits / 8 - 1)))""#
        }
        #expect(ProviderKeySet(json: TestKey.set([rsa.with("n", modulus(8192))]))?.count == 1)
        let unusable =
            [
                ec.with("kid", nil), ec.with("kid", #""""#), ec.with("kid", "7"), ec.with("use", #""enc""#),
                ec.with("use", #""Sig""#), ec.with("key_ops", #"["sign"]"#), ec.with("key_ops", "[]"),
                ec.with("crv", #""P-384""#), ec.with("crv", nil), ec.with("kty", #""RSA""#), ec.with("kty", nil),
                ec.with("x", nil), ec.with("y", nil), ec.with("y", ec.members["x"]), ec.with("x", #""AAAA""#),
                ec.with("alg", #""RS256""#), ec.with("alg", #""ES384""#), ec.with("alg", "256"),
                ec.with("kty", #""OKP""#).with("crv", #""Ed25519""#).with("alg", nil),
                rsa.with("alg", #""ES256""#), rsa.with("alg", #""RSA-OAEP""#), rsa.with("use", #""enc""#),
                rsa.with("n", #""\#(smallModulus)""#), rsa.with("n", modulus(8200)), rsa.with("n", modulus(16384)),
                rsa.with("n", nil), rsa.with("n", #""""#), rsa.with("n", #""AQAB""#), rsa.with("n", #""é""#),
                rsa.with("kty", #""EC""#), rsa.with("kty", #""oct""#),
            ]
            + ["", "AA", "AQ", "Ag", "Aw", "AAAAAAM", "EQ", "AQAA", "__8", "AQAAAAE"].map {
                rsa.with("e", #""\#($0)""#)
            }
        for key in unusable {
            #expect(ProviderKeySet(json: TestKey.set([key])) == nil, "\(key.json)")
            #expect(ProviderKeySet(json: TestKey.set([key, good]))?.count == 1)
        }
        for key in [
            ec.with("key_ops", #"["verify"]"#), ec.with("alg", "null"), ec.with("x5c", #"["MIIC"]"#),
            rsa.with("e", #""AAEAAQ""#), rsa.with("e", #""AQAAAQ""#),
        ] {
            #expect(ProviderKeySet(json: TestKey.set([key]))?.count == 1, "\(key.json)")
        }
    }

    @Test("a set in which a key says something twice is refused")
    func twice() throws {
        let set = String(decoding: TestKey.set([.ec("k")]), as: UTF8.self)
        #expect(ProviderKeySet(json: Data(set.utf8)) != nil)
        for member in [#""kid":"k","#, #""alg":"RS256","#, #""\u0063rv":"P-256","#] {
            let changed = set.replacing(#"[{"#, with: #"[{\#(member)"#)
            try #require(changed != set)
            #expect(ProviderKeySet(json: Data(changed.utf8)) == nil, "\(member)")
        }
    }

    @Test("a set has at most 100 keys and 256 KiB")
    func limits() throws {
        let key = TestKey.ec("k")
        let other = #"{"kty":"oct"}"#
        func set(_ others: Int, blanks: Int = 0) -> Data {
            Data(
                (#"{"keys":["# + String(repeating: "\(other),", count: others) + key.json + "]}"
                    + String(repeating: " ", count: blanks)).utf8)
        }
        #expect(ProviderKeySet(json: set(99))?.count == 1)
        #expect(ProviderKeySet(json: set(100)) == nil)
        let room = 256 << 10 - set(0).count
        #expect(ProviderKeySet(json: set(0, blanks: room))?.count == 1)
        #expect(ProviderKeySet(json: set(0, blanks: room + 1)) == nil)
    }

    @Test(
        "what isn't a set is refused",
        arguments: ["", "[]", "{}", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"keys":[]}"#, #"{"keys":["k",7,null,[]]}"#])
    func noSet(json: String) {
        #expect(ProviderKeySet(json: Data(json.utf8)) == nil)
    }

    @Test(.heavy) func `a changed set ends in a set or none, and a changed token in a refusal`() throws {
        var random = SeededGenerator(seed: 53)
        let key = TestKey.ec("k")
        let text = String(decoding: TestKey.set([try .rsa("r", "PS256"), key]), as: UTF8.self)
        let set = try #require(ProviderKeySet(json: Data(text.utf8)))
        let token = try key.token("ES256", kid: "k")
        for _ in 0..<3000 {
            #expect(ProviderKeySet(json: Data(text.mutated(using: &random).utf8))?.count ?? 0 <= 2)
            let changed = token.mutated(using: &random)
            if changed != token { #expect(SignedToken<Subject>(changed).map(set.verify) != true) }
        }
    }
}
