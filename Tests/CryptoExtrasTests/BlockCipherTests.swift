import Crypto
import CryptoExtras
import Foundation
import TestPrograms
import Testing

@Suite("AES without authentication")
struct BlockCipherTests {
    // NIST SP 800-38A, appendix F.
    private static let key128 = SymmetricKey(data: hex("2b7e151628aed2a6abf7158809cf4f3c"))
    private static let key256 = SymmetricKey(
        data: hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"))
    private static let plain = hex(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
            + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")

    @Test("a block is encrypted as in NIST SP 800-38A, F.1.1 and F.1.5")
    func block() throws {
        for (key, expected) in [
            (Self.key128, "3ad77bb40d7a3660a89ecaf32466ef97"), (Self.key256, "f3eed1bdb5d2a03c064b5a7e3db181f8"),
        ] {
            var block = Array(Self.plain.prefix(16))
            try AES.permute(&block, key: key)
            #expect(block == hex(expected))
        }
    }

    @Test("counter mode gives NIST's ciphertexts (F.5.1, F.5.5) and takes them back")
    func counterMode() throws {
        let nonce = try AES._CTR.Nonce(nonceBytes: hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"))
        for (key, expected) in [
            (
                Self.key128,
                "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
                    + "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"
            ),
            (
                Self.key256,
                "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
                    + "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"
            ),
        ] {
            for count in [64, 63, 17, 16, 1, 0] {
                let encrypted = try AES._CTR.encrypt(Self.plain.prefix(count), using: key, nonce: nonce)
                #expect(Array(encrypted) == Array(hex(expected).prefix(count)))
                #expect(
                    Array(try AES._CTR.encrypt(encrypted, using: key, nonce: nonce)) == Array(Self.plain.prefix(count)))
            }
        }
    }

    @Test("block chaining gives NIST's ciphertexts (F.2.1, F.2.5) and one block of padding")
    func blockChaining() throws {
        let iv = try AES._CBC.IV(ivBytes: hex("000102030405060708090a0b0c0d0e0f"))
        for (key, expected) in [
            (
                Self.key128,
                "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
                    + "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
            ),
            (
                Self.key256,
                "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
                    + "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"
            ),
        ] {
            let encrypted = try AES._CBC.encrypt(Self.plain, using: key, iv: iv)
            #expect(encrypted.count == 80)
            #expect(Array(encrypted.prefix(64)) == hex(expected))
            #expect(Array(try AES._CBC.decrypt(encrypted, using: key, iv: iv)) == Self.plain)
        }
    }

    @Test("messages of every length come back from block chaining")
    func padding() throws {
        let iv = try AES._CBC.IV(ivBytes: [UInt8](repeating: 7, count: 16))
        for count in 0...48 {
            let message = Array(Self.plain.prefix(count))
            let encrypted = try AES._CBC.encrypt(message, using: Self.key256, iv: iv)
            #expect(encrypted.count == count / 16 * 16 + 16)
            #expect(Array(try AES._CBC.decrypt(encrypted, using: Self.key256, iv: iv)) == message)
        }
    }

    @Test("wrong padding is refused")
    func wrongPadding() throws {
        let iv = [UInt8](repeating: 0, count: 16)
        let encrypted = try AES._CBC.encrypt(
            Array("fourteen bytes".utf8), using: Self.key128, iv: AES._CBC.IV(ivBytes: iv))
        // What is changed in the vector changes in the first block alike: the padding is two bytes 2.
        for (place, change) in [(15, 2), (15, 5), (14, 1), (15, 0x10)] as [(Int, UInt8)] {
            var other = iv
            other[place] ^= change
            #expect(throws: CryptoKitError.invalidParameter) {
                try AES._CBC.decrypt(encrypted, using: Self.key128, iv: AES._CBC.IV(ivBytes: other))
            }
        }
    }

    @Test("keys, blocks, vectors and messages of other lengths are refused")
    func lengths() throws {
        let iv = try AES._CBC.IV(ivBytes: [UInt8](repeating: 0, count: 16))
        for count in [0, 15, 24, 33] {
            let key = SymmetricKey(data: [UInt8](repeating: 1, count: count))
            var block = [UInt8](repeating: 0, count: 16)
            #expect(throws: CryptoKitError.incorrectKeySize) { try AES.permute(&block, key: key) }
            #expect(throws: CryptoKitError.incorrectKeySize) { try AES._CBC.encrypt([1], using: key, iv: iv) }
        }
        for count in [0, 12, 15, 17, 32] {
            var block = [UInt8](repeating: 0, count: count)
            #expect(throws: CryptoKitError.incorrectParameterSize) { try AES.permute(&block, key: Self.key128) }
            #expect(throws: CryptoKitError.incorrectParameterSize) { try AES._CTR.Nonce(nonceBytes: block) }
            #expect(throws: CryptoKitError.incorrectParameterSize) { try AES._CBC.IV(ivBytes: block) }
        }
        for count in [0, 1, 15, 17] {
            let wrong = [UInt8](repeating: 0, count: count)
            #expect(throws: CryptoKitError.incorrectParameterSize) {
                try AES._CBC.decrypt(wrong, using: Self.key128, iv: iv)
            }
        }
    }
}
