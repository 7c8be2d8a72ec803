import Foundation
import TestPrograms
import Testing

@testable import Crypto

@Suite("X25519 and HPKE")
struct HPKETests {
    private typealias PrivateKey = Curve25519.KeyAgreement.PrivateKey
    private typealias PublicKey = Curve25519.KeyAgreement.PublicKey

    private static func agree(_ privateKey: PrivateKey, _ publicKey: PublicKey) throws -> [UInt8] {
        try privateKey.sharedSecretFromKeyAgreement(with: publicKey).withUnsafeBytes { Array($0) }
    }

    @Test("X25519 gives the secrets of RFC 7748, 5.2 and 6.1")
    func agreement() throws {
        for (scalar, coordinate, output) in [
            (
                "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
                "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
                "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
            ),
            (
                "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
                "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
                "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"
            ),
        ] {
            let key = try PrivateKey(rawRepresentation: hex(scalar))
            #expect(try Self.agree(key, PublicKey(rawRepresentation: hex(coordinate))) == hex(output))
        }
        // A thousand times: the scalar becomes the coordinate, and the output the scalar.
        var (scalar, coordinate) = ([9] + [UInt8](repeating: 0, count: 31), [9] + [UInt8](repeating: 0, count: 31))
        for _ in 0..<1000 {
            let output = try Self.agree(
                PrivateKey(rawRepresentation: scalar), PublicKey(rawRepresentation: coordinate))
            (scalar, coordinate) = (output, scalar)
        }
        #expect(scalar == hex("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"))
    }

    @Test("both sides agree, and new keys differ")
    func newKeys() throws {
        let (one, other) = (PrivateKey(), PrivateKey())
        #expect(try Self.agree(one, other.publicKey) == Self.agree(other, one.publicKey))
        #expect(one.rawRepresentation != other.rawRepresentation)
        let read = try PrivateKey(rawRepresentation: one.rawRepresentation)
        #expect(read.publicKey.rawRepresentation == one.publicKey.rawRepresentation)
    }

    @Test("public keys of low order give no secret")
    func lowOrder() throws {
        let key = PrivateKey()
        for point in [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ] {
            let publicKey = try PublicKey(rawRepresentation: hex(point))
            #expect(throws: CryptoKitError.self) { try key.sharedSecretFromKeyAgreement(with: publicKey) }
            #expect(throws: CryptoKitError.self) {
                try HPKE.Sender(recipientKey: publicKey, ciphersuite: .Curve25519_SHA256_ChachaPoly, info: [])
            }
            #expect(throws: CryptoKitError.self) {
                try HPKE.Recipient(
                    privateKey: key, ciphersuite: .Curve25519_SHA256_ChachaPoly, info: [], encapsulatedKey: hex(point))
            }
        }
        for count in [0, 31, 33] {
            let bytes = [UInt8](repeating: 9, count: count)
            #expect(throws: CryptoKitError.incorrectKeySize) { try PublicKey(rawRepresentation: bytes) }
            #expect(throws: CryptoKitError.incorrectKeySize) { try PrivateKey(rawRepresentation: bytes) }
        }
    }

    @Test("HPKE gives the keys, ciphertexts and exports of RFC 9180, A.2.1, on both sides")
    func vectors() throws {
        let setup = try #require(try Vector.all(in: "hpke", with: "enc").first)
        let recipientKey = try PrivateKey(rawRepresentation: setup.bytes("skRm"))
        let info = try setup.bytes("info")
        #expect(Array(recipientKey.publicKey.rawRepresentation) == (try setup.bytes("pkRm")))
        var sender = try HPKE.Sender(
            recipientKey: recipientKey.publicKey, info: info,
            ephemeralKey: PrivateKey(rawRepresentation: setup.bytes("skEm")))
        #expect(Array(sender.encapsulatedKey) == (try setup.bytes("enc")))
        var recipient = try HPKE.Recipient(
            privateKey: recipientKey, ciphersuite: .Curve25519_SHA256_ChachaPoly, info: info,
            encapsulatedKey: sender.encapsulatedKey)
        for vector in try Vector.all(in: "hpke", with: "ct") {
            let (data, plain) = (try vector.bytes("aad"), try vector.bytes("pt"))
            let sealed = try sender.seal(plain, authenticating: data)
            #expect(Array(sealed) == (try vector.bytes("ct")))
            #expect(Array(try recipient.open(sealed, authenticating: data)) == plain)
        }
        for vector in try Vector.all(in: "hpke", with: "exported_value") {
            let context = try vector.bytes("exporter_context")
            let secret = SymmetricKey(data: try vector.bytes("exported_value"))
            #expect(try sender.exportSecret(context: context, outputByteCount: 32) == secret)
            #expect(try recipient.exportSecret(context: context, outputByteCount: 32) == secret)
        }
    }

    @Test("what was changed, is out of order, or is for another key, info or data doesn't open")
    func refusals() throws {
        let (key, info) = (PrivateKey(), Array("info".utf8))
        func recipient(_ key: PrivateKey, _ info: [UInt8], _ enc: Data) throws -> HPKE.Recipient {
            try HPKE.Recipient(
                privateKey: key, ciphersuite: .Curve25519_SHA256_ChachaPoly, info: info, encapsulatedKey: enc)
        }
        var sender = try HPKE.Sender(
            recipientKey: key.publicKey, ciphersuite: .Curve25519_SHA256_ChachaPoly, info: info)
        let first = try sender.seal([1, 2, 3], authenticating: [7])
        let second = try sender.seal([1, 2, 3], authenticating: [7])
        #expect(first != second)
        var good = try recipient(key, info, sender.encapsulatedKey)
        let changed = Data(first.dropLast() + [first[first.endIndex - 1] ^ 1])
        let wrong: [(Data, [UInt8])] = [(second, [7]), (first, []), (first, [8]), (changed, [7])]
        for (sealed, data) in wrong {
            #expect(throws: CryptoKitError.authenticationFailure) { try good.open(sealed, authenticating: data) }
        }
        #expect(throws: CryptoKitError.incorrectParameterSize) { try good.open([1, 2], authenticating: [7]) }
        // A refused message doesn't move the recipient on.
        #expect(Array(try good.open(first, authenticating: [7])) == [1, 2, 3])
        #expect(Array(try good.open(second, authenticating: [7])) == [1, 2, 3])
        var others = [
            try recipient(PrivateKey(), info, sender.encapsulatedKey), try recipient(key, [], sender.encapsulatedKey),
            try recipient(key, info, PrivateKey().publicKey.rawRepresentation),
        ]
        for index in others.indices {
            #expect(throws: CryptoKitError.authenticationFailure) {
                try others[index].open(first, authenticating: [7])
            }
        }
        #expect(throws: CryptoKitError.incorrectParameterSize) {
            try good.exportSecret(context: [], outputByteCount: 255 * 32 + 1)
        }
    }
}
