import Credentials
import TestSupport
import Testing

struct TANCipherTests {
    private static let day: Int32 = 20_600
    private let cipher: TANCipher

    init() throws {
        cipher = TANCipher(try #require(HashKey(bytes: [UInt8](repeating: 9, count: 32))))
    }

    private static func claims(
        _ number: Int, _ kind: TeleTANKind? = nil, lastHour: Int32 = day * 24 + 5
    ) -> TANClaims {
        TANClaims(nonce: Digest(sha256: "\(number)".utf8), kind: kind, lastHour: lastHour)
    }

    @Test(
        "a TAN says what was put into it, for every kind and hour", arguments: [nil, .test, .event] as [TeleTANKind?])
    func roundTrip(kind: TeleTANKind?) {
        for number in 0..<200 {
            let claims = Self.claims(number, kind, lastHour: Self.day * 24 + Int32(number % 24))
            let tan = cipher.seal(claims)
            #expect(cipher.open(tan, days: [Self.day]) == claims)
            #expect(cipher.open(tan, days: [Self.day - 1, Self.day, Self.day + 1]) == claims)
            #expect(cipher.open(tan, days: [Self.day - 1, Self.day + 1]) == nil)
            #expect(TAN(tan.text) == tan)
        }
    }

    @Test("the nonce is the first 65 bits of the digest, as nine bytes")
    func nonce() throws {
        let digest = try #require(Digest(bytes: (1...32).map { UInt8($0 * 7) }))
        let bytes = TANClaims(nonce: digest, kind: nil, lastHour: 0).nonceBytes
        #expect(bytes.count == 9)
        // A bit, then 64: the digest shifted by seven.
        let shifted = (0..<9).map { number in
            UInt8(
                truncatingIfNeeded: ((number == 0 ? 0 : Int(digest.bytes[number - 1])) << 8 | Int(digest.bytes[number]))
                    >> 7)
        }
        #expect(bytes == shifted)
    }

    @Test("no other TAN opens: whichever bit of one is changed, whatever is guessed, and whatever another key made")
    func forgeries() throws {
        let tan = cipher.seal(Self.claims(1))
        let bytes = tan.identifier.bytes
        for bit in 0..<128 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            guard let forged = TAN(Self.text(changed)) else { continue }
            #expect(cipher.open(forged, days: [Self.day]) == nil)
        }
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            #expect(cipher.open(TAN(RandomIdentifier(using: &random)), days: [Self.day]) == nil)
        }
        let other = TANCipher(try #require(HashKey(bytes: [UInt8](repeating: 8, count: 32))))
        #expect(other.open(tan, days: [Self.day]) == nil)
    }

    @Test("TANs look like random identifiers, also those of one upload and those of neighbouring nonces and hours")
    func random() {
        let count = 4000
        var ones = [Int](repeating: 0, count: 128)
        var differing = [Int](repeating: 0, count: 128)
        var last = cipher.seal(Self.claims(0)).identifier.bytes
        for number in 1...count {
            // Every second TAN differs from the one before in its last hour alone.
            let claims = Self.claims(number / 2, .test, lastHour: Self.day * 24 + Int32(number % 2))
            let bytes = cipher.seal(claims).identifier.bytes
            for bit in 0..<128 {
                let mask: UInt8 = 1 << (7 - bit % 8)
                ones[bit] += bytes[bit / 8] & mask == 0 ? 0 : 1
                differing[bit] += (bytes[bit / 8] ^ last[bit / 8]) & mask == 0 ? 0 : 1
            }
            last = bytes
        }
        // Version and variant are the same in all.
        let fixed = Set(48..<52).union(64..<66)
        // Six standard deviations of a fair coin: 244 such figures are beyond it by chance once in two million runs.
        let limit = 6 * (Double(count) / 4).squareRoot()
        for bit in 0..<128 where !fixed.contains(bit) {
            #expect(abs(Double(ones[bit]) - Double(count) / 2) < limit, "bit \(bit)")
            #expect(abs(Double(differing[bit]) - Double(count) / 2) < limit, "bit \(bit)")
        }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        let hex = bytes.hex
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { range in
            String(hex.dropFirst(range.lowerBound).prefix(range.count))
        }.joined(separator: "-")
    }
}
