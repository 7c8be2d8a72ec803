import CompactJOSE
import Crypto
import DevelopmentAttestation
import Foundation
import PlayIntegrity
import TestSupport
import Testing

/// What surrounds Google's judgement: encryption and signature.
@Suite struct TokenTests {
    @Test func `a token that was made with this app's keys is read`() throws {
        let token = try Sample.mint.token(Sample.verdict())
        #expect((1000...1400).contains(token.utf8.count))
        let verdict = try PlayIntegrityVerdict(classic: token, keys: Sample.keys)
        #expect(verdict.packageName == Sample.packageName)
        #expect(verdict.requestPackageName == Sample.packageName)
        #expect(
            verdict.binding == .nonce(PlayIntegrityPolicy.binding(salt: Sample.salt, payload: Sample.payload)))
        #expect(verdict.instant == Sample.now)
        #expect(verdict.recognition == .recognised)
        #expect(verdict.certificateDigests == [Base64URL.text(Sample.digest)])
        #expect(verdict.strength == .strong)
        #expect(verdict.isLicensed)
        #expect(!verdict.isTest)
    }

    @Test func `members of the headers that decide nothing are no obstacle`() throws {
        let payload = try Sample.verdict().json
        let outer = #"{ "enc" : "A256GCM", "typ":"JWT", "kid":"1", "alg":"A256KW"}"#
        let inner = #"{"typ":"JWT","alg":"ES256","kid":"2"}"#
        let token = try Sample.mint.token(payload: payload, outer: outer, inner: inner)
        #expect(try Sample.flaw(of: token) == nil)
    }

    @Test(
        arguments: [
            #"{"alg":"dir","enc":"A256GCM"}"#, #"{"alg":"A128KW","enc":"A256GCM"}"#,
            #"{"alg":"A256GCMKW","enc":"A256GCM"}"#, #"{"alg":"RSA-OAEP","enc":"A256GCM"}"#,
            #"{"alg":"PBES2-HS256+A128KW","enc":"A256GCM"}"#, #"{"alg":"none","enc":"A256GCM"}"#,
            #"{"alg":"a256kw","enc":"A256GCM"}"#, #"{"alg":null,"enc":"A256GCM"}"#, #"{"alg":1,"enc":"A256GCM"}"#,
            #"{"alg":["A256KW"],"enc":"A256GCM"}"#, #"{"enc":"A256GCM"}"#, #"{"alg":"A256KW","enc":"A128GCM"}"#,
            #"{"alg":"A256KW","enc":"A256CBC-HS512"}"#, #"{"alg":"A256KW","enc":null}"#, #"{"alg":"A256KW"}"#,
            #"{"alg":"A256KW","enc":"A256GCM","zip":"DEF"}"#, #"{"alg":"A256KW","enc":"A256GCM","zip":null}"#,
            #"{"alg":"A256KW","enc":"A256GCM","crit":["exp"],"exp":1}"#, #"{"alg":"A256KW","enc":"A256GCM","crit":[]}"#,
            #"["A256KW","A256GCM"]"#, #""A256KW""#, "null", "", "{",
        ])
    func `another header around the encryption is refused, though the bytes are in order`(_ header: String) throws {
        let token = try Sample.mint.token(payload: Sample.verdict().json, outer: header)
        #expect(try Sample.flaw(of: token) == .unreadable)
    }

    @Test(
        arguments: [
            #"{"alg":"none"}"#, #"{"alg":"HS256"}"#, #"{"alg":"ES384"}"#, #"{"alg":"ES256K"}"#, #"{"alg":"RS256"}"#,
            #"{"alg":"es256"}"#, #"{"alg":null}"#, "{}", #"{"alg":"ES256","crit":["b64"],"b64":false}"#,
            #"{"alg":"ES256","zip":"DEF"}"#, "[]", "",
        ])
    func `another header of the signature is refused, though the signature is right`(_ header: String) throws {
        let token = try Sample.mint.token(payload: Sample.verdict().json, inner: header)
        #expect(try Sample.flaw(of: token) == .unreadable)
    }

    @Test func `what nobody signed is refused`() throws {
        let payload = Base64URL.text(try Sample.verdict().json)
        let unsigned = "\(Base64URL.text(#"{"alg":"none"}"#.utf8)).\(payload)."
        #expect(try Sample.flaw(of: Sample.mint.token(around: Array(unsigned.utf8))) == .unreadable)
        let empty = "\(Base64URL.text(PlayIntegrityMint.innerHeader.utf8)).\(payload)."
        #expect(try Sample.flaw(of: Sample.mint.token(around: Array(empty.utf8))) == .forged)
        #expect(try Sample.flaw(of: Sample.mint.token(around: Sample.verdict().json)) == .unreadable)
    }

    @Test func `a signature by the public key as a secret is refused`() throws {
        let secret = SymmetricKey(data: try #require(Data(base64Encoded: Sample.mint.verificationKey)))
        for header in [#"{"alg":"HS256"}"#, PlayIntegrityMint.innerHeader] {
            let signed = CompactJWS.text(header: header.utf8, payload: try Sample.verdict().json) {
                HMAC<SHA256>.authenticationCode(for: $0, using: secret)
            }
            #expect(try Sample.flaw(of: Sample.mint.token(around: Array(signed.utf8))) != nil)
        }
    }

    @Test func `a signature by another key, or in another form, is refused`() throws {
        let other = P256.Signing.PrivateKey()
        let payload = try Sample.verdict().json
        let signed = try CompactJWS.text(header: PlayIntegrityMint.innerHeader.utf8, payload: payload) {
            try other.signature(for: $0).rawRepresentation
        }
        #expect(try Sample.flaw(of: Sample.mint.token(around: Array(signed.utf8))) == .forged)

        let secret = SymmetricKey(size: .bits256)
        let mint = PlayIntegrityMint(encryption: secret, signing: other)
        let keys = try PlayIntegrityKeys(decryption: mint.decryptionKey, verification: mint.verificationKey)
        let der = try CompactJWS.text(header: PlayIntegrityMint.innerHeader.utf8, payload: payload) {
            try other.signature(for: $0).derRepresentation
        }
        #expect(throws: PlayIntegrityFlaw.forged) {
            try PlayIntegrityVerdict(classic: mint.token(around: Array(der.utf8)), keys: keys)
        }
    }

    @Test func `a token for another app's key is refused`() throws {
        #expect(try Sample.flaw(of: PlayIntegrityMint().token(Sample.verdict())) == .forged)
    }

    @Test func `a signed token that isn't encrypted is refused, and so is another number of parts`() throws {
        let signed = try CompactJWS.text(
            header: PlayIntegrityMint.innerHeader.utf8, payload: Sample.verdict().json
        ) { _ in [UInt8](repeating: 1, count: 64) }
        let token = try Sample.mint.token(Sample.verdict())
        let parts = token.split(separator: ".")
        for text in [
            signed, parts.dropLast().joined(separator: "."), "\(token).", ".\(token)", "\(token).AAAA", "....", "",
            ".", "\(token)\n", " \(token)", token.replacing(".", with: ".."), "\(token)=",
        ] {
            #expect(try Sample.flaw(of: text) == .unreadable, "\(text)")
        }
    }

    @Test func `parts of other lengths are refused before anything is decrypted`() throws {
        let token = try Sample.mint.token(Sample.verdict())
        let parts = token.split(separator: ".").map(String.init)
        for (place, counts) in [
            (1, [0, 16, 24, 32, 39, 41, 48]), (2, [0, 8, 11, 13, 16]), (4, [0, 4, 8, 12, 15, 17]),
        ] {
            for count in counts {
                var changed = parts
                changed[place] = Base64URL.text([UInt8](repeating: 7, count: count))
                #expect(try Sample.flaw(of: changed.joined(separator: ".")) == .unreadable)
            }
        }
        var empty = parts
        empty[3] = ""
        #expect(try Sample.flaw(of: empty.joined(separator: ".")) == .forged)
    }

    @Test func `a token may be as long as the limit, and no longer`() throws {
        let length = PlayIntegrityVerdict.longestToken
        func token(_ count: Int) throws -> String {
            let padding = "{\"futureDetails\":\"\(String(repeating: "x", count: count))\","
            return try Sample.mint.token(payload: Sample.json(replacing: "{\"account", with: "\(padding)\"account"))
        }
        var count = 3000
        while try token(count).utf8.count < length - 2 { count += 1 }
        let longest = try token(count)
        #expect((length - 2...length).contains(longest.utf8.count))
        #expect(try Sample.flaw(of: longest) == nil)
        #expect(try Sample.flaw(of: token(count + 3)) == .unreadable)
    }

    // MARK: Changes

    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \u{0}".utf8)

    @Test(.heavy) func `a token with any byte changed is refused`() throws {
        let token = Array(try Sample.mint.token(Sample.verdict()).utf8)
        var random = SeededGenerator(seed: 22)
        for place in token.indices {
            // The next letter differs in the last bit, which may belong to no byte.
            let next = Self.letters.firstIndex(of: token[place]).map { Self.letters[$0 ^ 1] }
            for letter in [next, Self.letters.randomElement(using: &random)] where letter != token[place] {
                var changed = token
                changed[place] = try #require(letter)
                #expect(try Sample.flaw(of: String(decoding: changed, as: UTF8.self)) != nil, "at \(place)")
            }
        }
    }

    @Test(.heavy) func `a token that ends early is refused`() throws {
        let token = try Sample.mint.token(Sample.verdict())
        for count in 0..<token.utf8.count { #expect(try Sample.flaw(of: String(token.prefix(count))) != nil) }
    }

    @Test(.heavy) func `what was signed can't be changed, even by somebody who knows the secret key`() throws {
        let payload = try Sample.verdict().json
        let key = P256.Signing.PrivateKey()
        let mint = PlayIntegrityMint(encryption: SymmetricKey(size: .bits256), signing: key)
        let keys = try PlayIntegrityKeys(decryption: mint.decryptionKey, verification: mint.verificationKey)
        let signed = try CompactJWS.text(header: PlayIntegrityMint.innerHeader.utf8, payload: payload) {
            try key.signature(for: $0).rawRepresentation
        }
        _ = try PlayIntegrityVerdict(classic: mint.token(around: Array(signed.utf8)), keys: keys)
        for place in signed.utf8.indices {
            var changed = Array(signed.utf8)
            changed[signed.utf8.distance(from: signed.startIndex, to: place)] ^= 1
            #expect(throws: PlayIntegrityFlaw.self) {
                try PlayIntegrityVerdict(classic: mint.token(around: changed), keys: keys)
            }
        }
    }

    @Test(.heavy) func `random bytes and random changes end in a flaw`() throws {
        let token = try Sample.mint.token(Sample.verdict())
        var random = SeededGenerator(seed: 23)
        for _ in 0..<2000 {
            let changed = token.mutated(using: &random)
            if changed != token { #expect(try Sample.flaw(of: changed) != nil) }
            let noise = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                Self.letters.randomElement(using: &random) ?? 0
            }
            #expect(try Sample.flaw(of: String(decoding: noise, as: UTF8.self)) == .unreadable)
        }
    }

    @Test(.heavy) func `random bytes that are signed and encrypted end in a flaw`() throws {
        let payload = Data(try Sample.verdict().json)
        let keys = try Sample.keys
        var random = SeededGenerator(seed: 24)
        for _ in 0..<1000 {
            let token = try Sample.mint.token(payload: Array(payload.mutated(using: &random)))
            do throws(PlayIntegrityFlaw) {
                // It may be a judgement still, of something else.
                _ = try PlayIntegrityVerdict(classic: token, keys: keys)
            } catch {
                #expect(error == .unreadable)
            }
        }
    }
}
