import Foundation
import TestPrograms
import Testing

@testable import Crypto

@Suite("Ciphers")
struct CipherTests {

    @Test("AES-GCM gives NIST's ciphertexts and opens them")
    func galois() throws {
        for vector in try Vector.all(in: "gcm", with: "PT") {
            let key = SymmetricKey(data: try vector.bytes("Key"))
            let (plain, data) = (try vector.bytes("PT"), try vector.bytes("AAD"))
            let nonce = try AES.GCM.Nonce(data: vector.bytes("IV"))
            let box = try AES.GCM.seal(plain, using: key, nonce: nonce, authenticating: data)
            #expect(Array(box.ciphertext) == (try vector.bytes("CT")))
            #expect(Array(box.tag) == (try vector.bytes("Tag")))
            #expect(Array(box.nonce) == Array(nonce))
            let combined = try #require(box.combined)
            #expect(Array(combined) == Array(nonce) + Array(box.ciphertext) + Array(box.tag))
            let opened = try AES.GCM.open(AES.GCM.SealedBox(combined: combined), using: key, authenticating: data)
            #expect(Array(opened) == plain)
        }
    }

    @Test("ChaCha20-Poly1305 opens and makes OpenSSL's vectors, among them RFC 8439's")
    func chaCha() throws {
        for vector in try Vector.all(in: "chacha20-poly1305", with: "Key") {
            let key = SymmetricKey(data: try vector.bytes("Key"))
            let (plain, data) = (try vector.bytes("Plaintext"), try vector.bytes("AAD"))
            // Shorter nonces are OpenSSL's own.
            guard let nonce = try? ChaChaPoly.Nonce(data: vector.bytes("IV")) else {
                #expect(try vector.bytes("IV").count != 12)
                continue
            }
            let box = try ChaChaPoly.SealedBox(
                nonce: nonce, ciphertext: vector.bytes("Ciphertext"), tag: vector.bytes("Tag"))
            if vector.has("Result") {
                #expect(throws: CryptoKitError.authenticationFailure) {
                    try ChaChaPoly.open(box, using: key, authenticating: data)
                }
            } else {
                #expect(Array(try ChaChaPoly.open(box, using: key, authenticating: data)) == plain)
                let sealed = try ChaChaPoly.seal(plain, using: key, nonce: nonce, authenticating: data)
                #expect(sealed.combined == box.combined)
            }
        }
    }

    @Test("a box with any bit changed, other data or another key doesn't open")
    func tampering() throws {
        func check<A: AEAD>(_ algorithm: A.Type) throws {
            let key = SymmetricKey(size: .bits256)
            let (plain, data) = (Array("twenty bytes or more".utf8), [1, 2, 3] as [UInt8])
            let box = try A.seal(plain, using: key, authenticating: data)
            let bytes = Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
            for bit in 0..<(bytes.count * 8) {
                var wrong = bytes
                wrong[bit / 8] ^= 1 << (bit % 8)
                let changed = try A.SealedBox(combined: wrong)
                #expect(throws: CryptoKitError.authenticationFailure) {
                    try A.open(changed, using: key, authenticating: data)
                }
            }
            for data in [[], [1, 2], [1, 2, 3, 4], [3, 2, 1]] as [[UInt8]] {
                #expect(throws: CryptoKitError.authenticationFailure) {
                    try A.open(box, using: key, authenticating: data)
                }
            }
            #expect(throws: CryptoKitError.authenticationFailure) {
                try A.open(box, using: SymmetricKey(size: .bits256), authenticating: data)
            }
            #expect(Array(try A.open(box, using: key, authenticating: data)) == plain)
        }
        try check(AES.GCM.self)
        try check(ChaChaPoly.self)
    }

    @Test("keys, nonces, tags and boxes of other lengths are refused")
    func lengths() throws {
        for count in [0, 1, 15, 17, 24, 31, 33, 64] {
            let key = SymmetricKey(data: [UInt8](repeating: 1, count: count))
            #expect(throws: CryptoKitError.incorrectKeySize) { try AES.GCM.seal([], using: key) }
            #expect(throws: CryptoKitError.incorrectKeySize) { try ChaChaPoly.seal([], using: key) }
        }
        #expect(throws: CryptoKitError.incorrectKeySize) {
            try ChaChaPoly.seal([], using: SymmetricKey(size: .bits128))
        }
        for count in [0, 8, 11, 13, 16] {
            #expect(throws: CryptoKitError.incorrectParameterSize) {
                try AES.GCM.Nonce(data: [UInt8](repeating: 1, count: count))
            }
        }
        for count in [0, 1, 27] {
            let bytes = [UInt8](repeating: 0, count: count)
            #expect(throws: CryptoKitError.incorrectParameterSize) { try AES.GCM.SealedBox(combined: bytes) }
        }
        for count in [0, 12, 15, 17] {
            let tag = [UInt8](repeating: 0, count: count)
            #expect(throws: CryptoKitError.incorrectParameterSize) {
                try ChaChaPoly.SealedBox(nonce: ChaChaPoly.Nonce(), ciphertext: [1], tag: tag)
            }
        }
    }

    @Test("each message gets another nonce unless one is given")
    func nonces() throws {
        let key = SymmetricKey(size: .bits128)
        let nonces = try (0..<100).map { _ in try Array(AES.GCM.seal([1], using: key).nonce) }
        #expect(Set(nonces).count == 100)
    }

    @Test("key wrap gives NIST's wrapped keys, and refuses its wrong ones")
    func keyWrap() throws {
        for vector in try Vector.all(in: "keywrap", with: "K") {
            let key = SymmetricKey(data: try vector.bytes("K"))
            let wrapped = try vector.bytes("C")
            if vector.has("Fail") {
                #expect(throws: CryptoKitError.unwrapFailure) { try AES.KeyWrap.unwrap(wrapped, using: key) }
            } else {
                let plain = SymmetricKey(data: try vector.bytes("P"))
                #expect(Array(try AES.KeyWrap.wrap(plain, using: key)) == wrapped)
                #expect(try AES.KeyWrap.unwrap(wrapped, using: key) == plain)
            }
        }
    }

    @Test("a wrapped key gives the vector of RFC 3394, 4.6, and none of its changes opens")
    func wrappedKey() throws {
        let key = SymmetricKey(data: hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"))
        let plain = SymmetricKey(data: hex("00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f"))
        let wrapped = hex("28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21")
        #expect(Array(try AES.KeyWrap.wrap(plain, using: key)) == wrapped)
        for bit in 0..<(wrapped.count * 8) {
            var wrong = wrapped
            wrong[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: CryptoKitError.unwrapFailure) { try AES.KeyWrap.unwrap(wrong, using: key) }
        }
        for count in [0, 8, 16, 23, 39, 41] {
            let wrong = [UInt8](repeating: 1, count: count)
            #expect(throws: CryptoKitError.incorrectParameterSize) { try AES.KeyWrap.unwrap(wrong, using: key) }
        }
        for count in [0, 8, 17] {
            let wrong = SymmetricKey(data: [UInt8](repeating: 1, count: count))
            #expect(throws: CryptoKitError.incorrectParameterSize) { try AES.KeyWrap.wrap(wrong, using: key) }
        }
        let short = SymmetricKey(data: [1, 2, 3])
        #expect(throws: CryptoKitError.incorrectKeySize) { try AES.KeyWrap.unwrap(wrapped, using: short) }
    }

    @Test("a symmetric key is its bytes, and new ones differ")
    func symmetricKeys() {
        let key = SymmetricKey(data: [1, 2, 3])
        #expect(key.bitCount == 24)
        #expect(key == SymmetricKey(data: [1, 2, 3][...]))
        #expect(key != SymmetricKey(data: [1, 2, 4]))
        #expect(key != SymmetricKey(data: [1, 2, 3, 0]))
        #expect(SymmetricKey(size: .bits128).bitCount == 128)
        #expect(SymmetricKey(size: .bits256) != SymmetricKey(size: .bits256))
        #expect(SymmetricKey(data: [UInt8]()).bitCount == 0)
    }
}
