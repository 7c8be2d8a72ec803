import CompactJOSE
import Crypto
import CryptoExtras
import Foundation
import OfficerIdentity
import TestPrograms
import TestSupport
import Testing

/// Tokens go to programs of others and come from them: PyJWT (`Tests/Python/officer_tokens.py`) and `openssl`.
@Suite struct ThirdPartyTests {
    private static let algorithms = ["ES256", "RS256", "PS256"]

    private static func key(_ algorithm: String) throws -> TestKey {
        algorithm == "ES256" ? .ec("k") : try .rsa("k", algorithm)
    }

    // MARK: PyJWT

    /// What the script prints; nil if it ends with another status than 0.
    private static func python(_ command: String, _ files: [String: Data], _ order: [String]) async throws -> Data? {
        try await withScratchFolder { scratch in
            let folder = URL(filePath: scratch)
            for (name, content) in files { try content.write(to: folder.appending(path: name)) }
            let process = try TestPython.process("officer_tokens.py", [command] + order)
            process.currentDirectoryURL = folder
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.start()
            let text = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return process.terminationStatus == 0 ? text : nil
        }
    }

    @Test("tokens of PyJWT are accepted", .enabled(if: TestPython.isAvailable, "VIGIL_TEST_PYTHON is not set"))
    func madeByPyJWT() async throws {
        struct Made: Decodable {
            let keys: String
            let tokens: [String: String]
        }
        let output = try await Self.python("make", ["claims.json": Data(#"{"sub":"s"}"#.utf8)], ["claims.json"])
        let made = try JSONDecoder().decode(Made.self, from: #require(output))
        let set = try #require(ProviderKeySet(json: Data(made.keys.utf8)))
        #expect(set.count == 3)
        for algorithm in Self.algorithms {
            let text = try #require(made.tokens[algorithm])
            let token = try #require(SignedToken<Subject>(text))
            #expect(token.claims.sub == "s")
            #expect(set.verify(token), "\(algorithm)")
            // The other keys of the set sign nothing of it.
            let other = try #require(
                ProviderKeySet(json: TestKey.set([Self.key(algorithm).with("kid", #""\#(token.keyID)""#)])))
            #expect(!other.verify(token))
        }
    }

    @Test(
        "PyJWT accepts tokens that are made here", .enabled(if: TestPython.isAvailable, "VIGIL_TEST_PYTHON is not set"),
        arguments: algorithms)
    func verifiedByPyJWT(algorithm: String) async throws {
        let key = try Self.key(algorithm)
        let token = try key.token(algorithm, kid: "k")
        func verify(_ token: String) async throws -> Data? {
            try await Self.python(
                "verify", ["keys": TestKey.set([key]), "token": Data(token.utf8)], ["keys", "token"])
        }
        let claims = try #require(await verify(token))
        #expect(try JSONDecoder().decode(Subject.self, from: claims).sub == "s")
        // The script can refuse.
        let foreign = try CompactJWS.text(header: #"{"alg":"\#(algorithm)","kid":"k"}"#.utf8, payload: "{}".utf8) {
            try key.sign($0 + [0], algorithm)
        }
        #expect(try await verify(foreign) == nil)
    }

    // MARK: openssl

    private static func options(_ algorithm: String) -> String {
        algorithm == "PS256" ? "-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:32 " : ""
    }

    /// The numbers of a signature in DER, as the program reads them.
    private static func numbers(_ openssl: OpenSSLProgram, _ file: String) throws -> [UInt8] {
        let text = try openssl("asn1parse", "-inform", "DER", "-in", file)
        return text.split(separator: "\n").filter { $0.contains("INTEGER") }.flatMap { line -> [UInt8] in
            let digits = line.split(separator: ":").last.map(String.init) ?? ""
            return Self.bytes(String(repeating: "0", count: 64 - digits.count) + digits)
        }
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        let digits = Array(digits)
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }

    @Test("tokens of the openssl program are accepted, but not with signatures in DER", arguments: algorithms)
    func madeByOpenSSL(algorithm: String) throws {
        let openssl = try OpenSSLProgram()
        let isEC = algorithm == "ES256"
        let kind = isEC ? "EC -pkeyopt ec_paramgen_curve:P-256" : "RSA -pkeyopt rsa_keygen_bits:2048"
        #expect(try openssl.run("genpkey -algorithm \(kind) -out key.pem"))
        #expect(try openssl.run("pkey -in key.pem -pubout -outform DER -out public.der"))
        var key = try Self.key(algorithm)
        if isEC {
            let point = try openssl.read("public.der").suffix(64)
            key = key.with("x", #""\#(Base64URL.text(point.prefix(32)))""#)
                .with("y", #""\#(Base64URL.text(point.suffix(32)))""#)
        } else {
            let text = try openssl("rsa", "-in", "key.pem", "-modulus", "-noout")
            let digits = try #require(text.split(separator: "=").last).filter(\.isHexDigit)
            key = key.with("n", #""\#(Base64URL.text(Self.bytes(digits)))""#)
        }
        let set = try #require(ProviderKeySet(json: TestKey.set([key])))
        func token(_ signature: ([UInt8]) throws -> [UInt8]) throws -> SignedToken<Subject>? {
            let header = #"{"alg":"\#(algorithm)","kid":"k"}"#
            return SignedToken(
                try CompactJWS.text(header: header.utf8, payload: #"{"sub":"s"}"#.utf8) { bytes in
                    try openssl.write(bytes, "message")
                    #expect(
                        try openssl.run(
                            "dgst -sha256 \(Self.options(algorithm))-sign key.pem -out signature message"))
                    return try signature(openssl.read("signature"))
                })
        }
        let good = try #require(try token { isEC ? try Self.numbers(openssl, "signature") : $0 })
        #expect(set.verify(good))
        if isEC { #expect(!set.verify(try #require(try token { $0 }))) }
    }

    @Test("the openssl program accepts signatures that are made here", arguments: algorithms)
    func verifiedByOpenSSL(algorithm: String) throws {
        let openssl = try OpenSSLProgram()
        let key = try Self.key(algorithm)
        let jws = try #require(CompactJWS(key.token(algorithm, kid: "k"), longest: 2000))
        try openssl.write(jws.signedBytes, "message")
        switch key.secret {
        case .rsa(let secret):
            try openssl.write(secret.publicKey.pemRepresentation, "public.pem")
            try openssl.write(jws.signature, "signature")
        case .ec(let secret):
            try openssl.write(secret.publicKey.pemRepresentation, "public.pem")
            #expect(jws.signature.count == 64)
            // The program makes the sequence itself.
            let number = { (bytes: ArraySlice<UInt8>) in
                "INTEGER:0x" + bytes.map { String(format: "%02x", $0) }.joined()
            }
            try openssl.write(
                "asn1=SEQUENCE:s\n[s]\nr=\(number(jws.signature.prefix(32)))\ns=\(number(jws.signature.suffix(32)))\n",
                "sequence")
            #expect(try openssl.run("asn1parse -genconf sequence -noout -out signature"))
        }
        let command = "dgst -sha256 \(Self.options(algorithm))-verify public.pem -signature signature message"
        #expect(try openssl.run(command))
        try openssl.write(jws.signedBytes + [0], "message")
        #expect(try !openssl.run(command))
    }
}
