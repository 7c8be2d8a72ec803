import Crypto
import CryptoExtras

/// The claims of a TAN, which only the server that issued it can read.
package struct TANClaims: Hashable, Sendable {
    /// Which upload of which registration the TAN authorises: 65 bits of a keyed hash.
    ///
    /// TANs that are issued again, because the last one was lost or has expired, share it, so together they still authorise one
    /// upload.
    package let nonce: UInt128
    /// The kind of the teleTAN behind the registration; nil for a test that a laboratory reported.
    package let kind: TeleTANKind?
    /// The last hour in which the TAN is valid, counted from 1970.
    package let lastHour: Int32

    /// Bits of a nonce.
    package static let nonceBits = 65

    /// - Parameter digest: its first 65 bits become the nonce.
    package init(nonce digest: Digest, kind: TeleTANKind?, lastHour: Int32) {
        let first = digest.bytes.prefix(16).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        self.init(nonce: first >> (128 - Self.nonceBits), kind: kind, lastHour: lastHour)
    }

    fileprivate init(nonce: UInt128, kind: TeleTANKind?, lastHour: Int32) {
        self.nonce = nonce
        self.kind = kind
        self.lastHour = lastHour
    }

    /// The nonce as 9 bytes, big endian.
    package var nonceBytes: [UInt8] {
        (0..<9).map { UInt8(truncatingIfNeeded: nonce >> UInt128(64 - 8 * $0)) }
    }
}

/// Makes TANs that prove themselves: a UUID version 4 whose 122 free bits are a keyed permutation of nonce (65 bits), kind (2),
/// hour of the day (5) and zeros (50).
///
/// Without the key a TAN can't be distinguished from a random UUID, and a guess is accepted with a probability of 2⁻⁵⁰ for each
/// day that is tried. So nothing has to be stored when a TAN is issued, and no database shows that it was, when, or to whom.
///
/// The permutation is a Feistel network of ten rounds over halves of 61 bits with AES-256 as its round function; the day is its
/// tweak, as in FF1 (NIST SP 800-38G, section 5.1). FF1 itself is for digits of any radix, which is not needed here.
package struct TANCipher: Sendable {
    private let key: SymmetricKey

    private static let rounds: ClosedRange<UInt8> = 0...9
    private static let halfBits = 61
    private static let half: UInt64 = 1 << 61 - 1
    private static let checkBits = 50
    private static let hourBits = 5
    private static let kindBits = 2

    /// - Parameter key: the key of the server that issues TANs; its replicas share it.
    package init(_ key: HashKey) {
        self.key = SymmetricKey(data: key.digest(for: "TAN cipher").bytes)
    }

    /// The TAN with these claims; the same claims always give the same TAN.
    package func seal(_ claims: TANClaims) -> TAN {
        let (day, hour) = claims.lastHour.quotientAndRemainder(dividingBy: 24)
        var number = claims.nonce << Self.kindBits | Self.number(of: claims.kind)
        number = (number << Self.hourBits | UInt128(hour)) << Self.checkBits
        var (left, right) = (UInt64(number >> Self.halfBits), UInt64(truncatingIfNeeded: number) & Self.half)
        for round in Self.rounds { (left, right) = (right, left ^ mix(right, round, day)) }
        return TAN(RandomIdentifier(freeBits: UInt128(left) << Self.halfBits | UInt128(right)))
    }

    /// The claims of a TAN; nil for one that another key made, or whose last hour is on none of the days.
    /// - Parameter days: counted from 1970, the most likely first.
    package func open(_ tan: TAN, days: some Sequence<Int32>) -> TANClaims? {
        let bits = tan.identifier.freeBits
        for day in days {
            var (left, right) = (UInt64(bits >> Self.halfBits), UInt64(truncatingIfNeeded: bits) & Self.half)
            for round in Self.rounds.reversed() { (left, right) = (right ^ mix(left, round, day), left) }
            let number = UInt128(left) << Self.halfBits | UInt128(right)
            guard number & (1 << Self.checkBits - 1) == 0 else { continue }
            let hour = Int32(truncatingIfNeeded: number >> Self.checkBits) & (1 << Self.hourBits - 1)
            let kind = (number >> (Self.checkBits + Self.hourBits)) & (1 << Self.kindBits - 1)
            return TANClaims(
                nonce: number >> (Self.checkBits + Self.hourBits + Self.kindBits), kind: Self.kind(of: kind),
                lastHour: day * 24 + hour)
        }
        return nil
    }

    /// The round function: 61 bits of an AES block over round, day and half.
    private func mix(_ half: UInt64, _ round: UInt8, _ day: Int32) -> UInt64 {
        var block: [UInt8] = [round, 0, 0, 0]
        block.reserveCapacity(16)
        withUnsafeBytes(of: day.bigEndian) { block += $0 }
        withUnsafeBytes(of: half.bigEndian) { block += $0 }
        do {
            try AES.permute(&block, key: key)
        } catch {
            preconditionFailure("a block has 16 bytes and a key 32")
        }
        return block.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } >> (64 - Self.halfBits)
    }

    private static func number(of kind: TeleTANKind?) -> UInt128 {
        switch kind {
        case nil: 0
        case .test: 1
        case .event: 2
        }
    }

    private static func kind(of number: UInt128) -> TeleTANKind? {
        switch number {
        case 1: .test
        case 2: .event
        default: nil
        }
    }
}
