import TestPrograms
import Testing

@testable import Crypto

@Suite("Hash functions")
struct HashTests {
    @Test("SHA-2 gives the digests of NIST's short messages")
    func shortMessages() throws {
        func check<H: HashFunction>(_ function: H.Type, _ file: String) throws {
            for vector in try Vector.all(in: file, with: "Msg") {
                // An empty message is written as one zero byte of zero bits.
                let message = try vector.text("Len") == "0" ? [] : vector.bytes("Msg")
                #expect(Array(H.hash(data: message)) == (try vector.bytes("MD")))
            }
        }
        try check(SHA256.self, "sha256")
        try check(SHA384.self, "sha384")
        try check(SHA512.self, "sha512")
    }

    @Test("MD5 and SHA-1 give the digests of their standards (RFC 1321, A.5; RFC 3174, 7.3)")
    func insecure() {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz".utf8)
        #expect(Insecure.MD5.hash(data: []).description == "d41d8cd98f00b204e9800998ecf8427e")
        #expect(Insecure.MD5.hash(data: alphabet).description == "c3fcd3d76192e4007dfb496cca67e13b")
        #expect(Insecure.SHA1.hash(data: Array("abc".utf8)).description == "a9993e364706816aba3e25717850c26c9cd0d89d")
    }

    @Test("pieces give the digest of the whole, wherever they are cut")
    func pieces() {
        let message = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let whole = SHA256.hash(data: message)
        for cut in 0...message.count {
            var hash = SHA256()
            hash.update(data: message[..<cut])
            hash.update(data: message[cut...].reversed().reversed())
            #expect(hash.finalize() == whole)
        }
    }

    @Test("a copy of a hash goes on by itself, and a digest ends nothing")
    func copies() {
        var first = SHA512()
        first.update(data: Array("a".utf8))
        var second = first
        let early = first.finalize()
        first.update(data: Array("b".utf8))
        second.update(data: Array("c".utf8))
        #expect(early == SHA512.hash(data: Array("a".utf8)))
        #expect(first.finalize() == SHA512.hash(data: Array("ab".utf8)))
        #expect(second.finalize() == SHA512.hash(data: Array("ac".utf8)))
    }

    @Test("a digest is its bytes, and equal only to the same bytes")
    func digests() {
        let digest = SHA256.hash(data: Array("abc".utf8))
        #expect(digest.description == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Array(digest.prefix(2)) == [0xBA, 0x78])
        #expect(digest.withUnsafeBytes { Array($0) } == Array(digest))
        #expect(digest.withContiguousStorageIfAvailable { $0.count } == 32)
        #expect(digest == SHA256.hash(data: Array("abc".utf8)))
        #expect(digest != SHA256.hash(data: Array("abd".utf8)))
        #expect(Set([digest, digest]).count == 1)
        #expect((SHA256.byteCount, SHA384.byteCount, SHA512.byteCount) == (32, 48, 64))
    }
}

@Suite("HMAC and HKDF")
struct MACTests {
    @Test("HMAC gives the codes of RFC 4231")
    func codes() throws {
        func check<H: HashFunction>(_ function: H.Type, _ file: String) throws {
            for vector in try Vector.all(in: file, with: "MD") {
                let (key, message) = (SymmetricKey(data: try vector.bytes("Key")), try vector.bytes("Msg"))
                let code = try vector.bytes("MD")
                #expect(Array(HMAC<H>.authenticationCode(for: message, using: key)) == code)
                #expect(HMAC<H>.isValidAuthenticationCode(code, authenticating: message, using: key))
                for index in code.indices {
                    var wrong = code
                    wrong[index] ^= 0x80
                    #expect(!HMAC<H>.isValidAuthenticationCode(wrong, authenticating: message, using: key))
                }
                #expect(!HMAC<H>.isValidAuthenticationCode(code.dropLast(), authenticating: message, using: key))
                #expect(!HMAC<H>.isValidAuthenticationCode(code + [0], authenticating: message, using: key))
                #expect(!HMAC<H>.isValidAuthenticationCode([], authenticating: message, using: key))
            }
        }
        try check(SHA256.self, "hmac-sha256")
        try check(SHA384.self, "hmac-sha384")
        try check(SHA512.self, "hmac-sha512")
    }

    @Test("HMAC with SHA-1 and MD5 gives the codes of RFC 2202")
    func insecureCodes() {
        let (key, message) = (SymmetricKey(data: Array("Jefe".utf8)), Array("what do ya want for nothing?".utf8))
        #expect(
            HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key).description
                == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        #expect(
            HMAC<Insecure.MD5>.authenticationCode(for: message, using: key).description
                == "750c783e6ab0b503eaa86e310a5db738")
    }

    @Test("a code in pieces is the code of the whole, and a copy goes on by itself")
    func pieces() {
        let key = SymmetricKey(size: .bits256)
        var code = HMAC<SHA256>(key: key)
        code.update(data: [1, 2])
        let copy = code
        code.update(data: [3])
        #expect(code.finalize() == HMAC<SHA256>.authenticationCode(for: [1, 2, 3], using: key))
        #expect(copy.finalize() == HMAC<SHA256>.authenticationCode(for: [1, 2], using: key))
    }

    @Test("HKDF gives the keys of RFC 5869")
    func keys() throws {
        for vector in try Vector.all(in: "hkdf-sha256", with: "OKM") {
            let secret = SymmetricKey(data: try vector.bytes("IKM"))
            let (salt, info) = (try vector.bytes("salt"), try vector.bytes("info"))
            let count = try #require(Int(try vector.text("L")))
            let extracted = HKDF<SHA256>.extract(inputKeyMaterial: secret, salt: salt)
            #expect(Array(extracted) == (try vector.bytes("PRK")))
            let key = HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, salt: salt, info: info, outputByteCount: count)
            #expect(key == SymmetricKey(data: try vector.bytes("OKM")))
        }
    }

    @Test("HKDF gives up to 255 digests, and none for no bytes")
    func lengths() {
        let secret = SymmetricKey(data: [1, 2, 3])
        func derived(_ count: Int) -> [UInt8] {
            HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, outputByteCount: count).withUnsafeBytes { Array($0) }
        }
        let longest = derived(255 * 32)
        #expect(longest.count == 255 * 32)
        for count in [0, 1, 31, 32, 33, 64, 96] { #expect(derived(count) == Array(longest.prefix(count))) }
    }
}
