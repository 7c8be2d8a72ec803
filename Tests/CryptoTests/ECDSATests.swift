import Foundation
import TestPrograms
import Testing

@testable import Crypto

@Suite("ECDSA")
struct ECDSATests {
    private static let message = Array("what is signed".utf8)

    @Test("numbers give NIST's points, and come back")
    func keys() throws {
        func check<Curve: EllipticCurve>(_ curve: Curve.Type, _ file: String) throws {
            for vector in try Vector.all(in: file, with: "d") {
                let number = try vector.number("d", byteCount: Curve.byteCount)
                let point =
                    try vector.number("Qx", byteCount: Curve.byteCount)
                    + vector.number("Qy", byteCount: Curve.byteCount)
                let key = try ECDSA<Curve>.PrivateKey(rawRepresentation: number)
                #expect(Array(key.rawRepresentation) == number)
                #expect(Array(key.publicKey.rawRepresentation) == point)
                #expect(Array(key.publicKey.x963Representation) == [4] + point)
                let compressed = [2 + (point[2 * Curve.byteCount - 1] & 1)] + point.prefix(Curve.byteCount)
                #expect(Array(key.publicKey.compressedRepresentation) == compressed)
            }
        }
        try check(P256.self, "p256-keys")
        try check(P384.self, "p384-keys")
    }

    @Test("NIST's points are taken and refused as NIST says")
    func points() throws {
        func check<Curve: EllipticCurve>(_ curve: Curve.Type, _ file: String) throws {
            for vector in try Vector.all(in: file, with: "Result") {
                let point =
                    try vector.number("Qx", byteCount: Curve.byteCount)
                    + vector.number("Qy", byteCount: Curve.byteCount)
                let isGood = try vector.text("Result").hasPrefix("P")
                #expect(((try? ECDSA<Curve>.PublicKey(x963Representation: [4] + point)) != nil) == isGood)
            }
        }
        try check(P256.self, "p256-points")
        try check(P384.self, "p384-points")
    }

    @Test("NIST's signatures are taken and refused as NIST says, raw and in DER")
    func signatures() throws {
        func check<Curve: EllipticCurve>(_ curve: Curve.Type, _ file: String) throws {
            for vector in try Vector.all(in: file, with: "Result") {
                let count = Curve.byteCount
                let point = try vector.number("Qx", byteCount: count) + vector.number("Qy", byteCount: count)
                let key = try ECDSA<Curve>.PublicKey(x963Representation: [4] + point)
                let raw = try vector.number("R", byteCount: count) + vector.number("S", byteCount: count)
                let signature = try ECDSA<Curve>.ECDSASignature(rawRepresentation: raw)
                let read = try ECDSA<Curve>.ECDSASignature(derRepresentation: signature.derRepresentation)
                #expect(Array(read.rawRepresentation) == raw)
                let isGood = try vector.text("Result").hasPrefix("P")
                #expect(key.isValidSignature(signature, for: try vector.bytes("Msg")) == isGood)
                #expect(key.isValidSignature(read, for: Curve.Hash.hash(data: try vector.bytes("Msg"))) == isGood)
            }
        }
        try check(P256.self, "p256-signatures")
        try check(P384.self, "p384-signatures")
    }

    @Test("the signatures of RFC 6979, A.2.5 and A.2.6 are valid, also over digests of other lengths")
    func deterministicSignatures() throws {
        let key = try P256.Signing.PrivateKey(
            rawRepresentation: hex("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"))
        let sample = Array("sample".utf8)
        func check(_ digest: some Digest, _ numbers: String) throws {
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: hex(numbers))
            #expect(key.publicKey.isValidSignature(signature, for: digest))
        }
        try check(
            SHA256.hash(data: sample),
            "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
                + "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8")
        try check(
            SHA384.hash(data: sample),
            "0eafea039b20e9b42309fb1d89e213057cbf973dc0cfc8f129edddc800ef7719"
                + "4861f0491e6998b9455193e34e7b0d284ddd7149a74b95b9261f13abde940954")
        try check(
            SHA512.hash(data: sample),
            "8496a60b5e9b47c825488827e0495b0e3fa109ec4568fd3f8d1097678eb97f00"
                + "2362ab1adbe2b8adf9cb9edab740ea6049c028114f2460f96554f61fae3302fe")
        let other = try P384.Signing.PrivateKey(
            rawRepresentation: hex(
                "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d8"
                    + "96d5724e4c70a825f872c9ea60d2edf5"))
        let signature = try P384.Signing.ECDSASignature(
            rawRepresentation: hex(
                "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46"
                    + "99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8"
            ))
        #expect(other.publicKey.isValidSignature(signature, for: sample))
    }

    @Test("a signature is for its message and key alone")
    func signing() throws {
        func check<Curve: EllipticCurve>(_ curve: Curve.Type) throws {
            let (key, other) = (ECDSA<Curve>.PrivateKey(), ECDSA<Curve>.PrivateKey())
            let signature = try key.signature(for: Self.message)
            #expect(key.publicKey.isValidSignature(signature, for: Self.message))
            #expect(!key.publicKey.isValidSignature(signature, for: Self.message + [0]))
            #expect(!other.publicKey.isValidSignature(signature, for: Self.message))
            let raw = Array(signature.rawRepresentation)
            for bit in stride(from: 0, to: raw.count * 8, by: 13) {
                var wrong = raw
                wrong[bit / 8] ^= 1 << (bit % 8)
                let changed = try ECDSA<Curve>.ECDSASignature(rawRepresentation: wrong)
                #expect(!key.publicKey.isValidSignature(changed, for: Self.message))
            }
        }
        try check(P256.self)
        try check(P384.self)
    }

    @Test("zeros, and numbers beyond the order, are no signature")
    func impossibleSignatures() throws {
        let key = P256.Signing.PrivateKey()
        let raw = Array(try key.signature(for: Self.message).rawRepresentation)
        let (r, s) = (Array(raw.prefix(32)), Array(raw.suffix(32)))
        let (zero, most) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32))
        for wrong: [UInt8] in [zero + zero, zero + s, r + zero, most + s, r + most, s + r] {
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: wrong)
            #expect(!key.publicKey.isValidSignature(signature, for: Self.message))
        }
        for wrong: [UInt8] in [[], Array(raw.dropLast()), raw + [0], raw + raw] {
            #expect(throws: CryptoKitError.incorrectParameterSize) {
                try P256.Signing.ECDSASignature(rawRepresentation: wrong)
            }
        }
    }

    @Test("a signature has one form in DER")
    func strictSignatures() throws {
        // r = 1 and s = 0x80: a zero stands before the second.
        let raw = [UInt8](repeating: 0, count: 31) + [1] + [UInt8](repeating: 0, count: 31) + [0x80]
        let good: [UInt8] = [0x30, 0x07, 0x02, 0x01, 0x01, 0x02, 0x02, 0x00, 0x80]
        #expect(Array(try P256.Signing.ECDSASignature(rawRepresentation: raw).derRepresentation) == good)
        #expect(Array(try P256.Signing.ECDSASignature(derRepresentation: good).rawRepresentation) == raw)
        let long = [UInt8](repeating: 1, count: 33)
        let wrong: [(String, [UInt8])] = [
            ("nothing", []), ("no numbers", [0x30, 0x00]), ("one number", [0x30, 0x03, 0x02, 0x01, 0x01]),
            ("three numbers", [0x30, 0x09, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01]),
            ("a byte after it", good + [0]),
            ("a long form of the length", [0x30, 0x81, 0x07] + good.dropFirst(2)),
            ("an indefinite length", [0x30, 0x80] + good.dropFirst(2) + [0, 0]),
            ("a negative number", [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x80]),
            ("a zero too many", [0x30, 0x08, 0x02, 0x02, 0x00, 0x01, 0x02, 0x02, 0x00, 0x80]),
            ("a number without bytes", [0x30, 0x06, 0x02, 0x00, 0x02, 0x02, 0x00, 0x80]),
            ("a set", [0x31] + good.dropFirst()), ("no sequence", Array(good.dropFirst(2))),
            ("33 bytes", [0x30, 0x26, 0x02, 0x21] + long + [0x02, 0x01, 0x01]),
        ]
        for (name, bytes) in wrong {
            #expect(throws: (any Error).self, "\(name)") { try P256.Signing.ECDSASignature(derRepresentation: bytes) }
        }
        for count in good.indices {
            #expect(throws: (any Error).self) {
                try P256.Signing.ECDSASignature(derRepresentation: good.prefix(count))
            }
        }
    }

    @Test("what is read from changed DER is written the same, and is no signature")
    func mutatedSignatures() throws {
        let key = P256.Signing.PrivateKey()
        let good = Array(try key.signature(for: Self.message).derRepresentation)
        for place in good.indices {
            for change in 1...UInt8.max {
                var wrong = good
                wrong[place] ^= change
                guard let read = try? P256.Signing.ECDSASignature(derRepresentation: wrong) else { continue }
                #expect(Array(read.derRepresentation) == wrong)
                if change.nonzeroBitCount == 1 { #expect(!key.publicKey.isValidSignature(read, for: Self.message)) }
            }
        }
    }

    @Test("points in other forms, of other lengths or off the curve are refused")
    func malformedPoints() throws {
        func check<Curve: EllipticCurve>(_ curve: Curve.Type) throws {
            let key = ECDSA<Curve>.PrivateKey().publicKey
            let point = Array(key.x963Representation)
            for first in [0, 1, 2, 3, 5, 6, 7, 0xFF] as [UInt8] {
                #expect(throws: CryptoKitError.invalidParameter) {
                    try ECDSA<Curve>.PublicKey(x963Representation: [first] + point.dropFirst())
                }
            }
            for wrong in [[], [0], Array(key.compressedRepresentation), Array(key.rawRepresentation), point + [0]] {
                #expect(throws: CryptoKitError.incorrectKeySize) {
                    try ECDSA<Curve>.PublicKey(x963Representation: wrong)
                }
            }
            for place in [1, Curve.byteCount, 2 * Curve.byteCount] {
                var wrong = point
                wrong[place] ^= 1
                #expect(throws: CryptoKitError.invalidParameter) {
                    try ECDSA<Curve>.PublicKey(x963Representation: wrong)
                }
            }
            let zeros = [UInt8](repeating: 0, count: 2 * Curve.byteCount)
            #expect(throws: CryptoKitError.invalidParameter) {
                try ECDSA<Curve>.PublicKey(x963Representation: [4] + zeros)
            }
        }
        try check(P256.self)
        try check(P384.self)
    }

    @Test("a private number is at least 1 and less than the order")
    func malformedNumbers() throws {
        let order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        var least = [UInt8](repeating: 0, count: 32)
        for wrong in [least, order, [UInt8](repeating: 0xFF, count: 32)] {
            #expect(throws: CryptoKitError.invalidParameter) {
                try P256.Signing.PrivateKey(rawRepresentation: wrong)
            }
        }
        for wrong in [[], Array(order.dropLast()), order + [0], [0] + order] {
            #expect(throws: CryptoKitError.incorrectKeySize) {
                try P256.Signing.PrivateKey(rawRepresentation: wrong)
            }
        }
        least[31] = 1
        let one = try P256.Signing.PrivateKey(rawRepresentation: least)
        #expect(
            Array(one.publicKey.rawRepresentation.prefix(32))
                == hex("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"))
        var most = order
        most[31] -= 1
        let last = try P256.Signing.PrivateKey(rawRepresentation: most)
        #expect(last.publicKey.rawRepresentation.prefix(32) == one.publicKey.rawRepresentation.prefix(32))
    }

    @Test("several threads make keys, sign and verify with one key")
    func threads() async throws {
        let key = P256.Signing.PrivateKey()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try (0..<20).allSatisfy { round in
                        let message = [UInt8(number), UInt8(round)]
                        let publicKey = try P256.Signing.PublicKey(
                            x963Representation: key.publicKey.x963Representation)
                        return publicKey.isValidSignature(try key.signature(for: message), for: message)
                    }
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}
