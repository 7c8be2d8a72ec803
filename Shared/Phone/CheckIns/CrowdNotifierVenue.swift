package import Crypto
package import FoundationEssentials

/// A venue of CrowdNotifier. Who scanned its QR code can tell which trace keys are of its hours (CrowdNotifier/techspec, version 3).
///
/// HKDF-SHA-256 of the code's payload gives two nonces and a key of 32 bytes each. Other apps keep no payload and try each trace key on
/// what they encrypted at check-in, which needs pairings; who keeps the payload, as this diary does, compares identities.
package struct CrowdNotifierVenue: Sendable {
    /// The key of what a trace key says of visits: XSalsa20-Poly1305.
    package let notificationKey: SymmetricKey
    /// Names the venue to who knows the payload: 32 bytes.
    let preIdentity: [UInt8]
    private let timeNonce: [UInt8]

    /// The length of an hour, in seconds; no other interval is used.
    package static let interval: Int32 = 3_600
    private static let information = Array("CrowdNotifier_v3".utf8)

    /// The venue of a QR code, by the bytes of the code's payload as they were scanned.
    package init(payload: [UInt8]) {
        let derived = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: payload), info: Self.information, outputByteCount: 96
        ).withUnsafeBytes { Array($0) }
        preIdentity = Self.hash("CN-PREID", payload, derived[..<32])
        timeNonce = Array(derived[32..<64])
        notificationKey = SymmetricKey(data: derived[64...])
    }

    /// The identity of the venue at an hour, which its trace key names: 32 bytes.
    /// - Parameter start: the hour's first second since 1970.
    package func identity(startingAt start: Int64) -> [UInt8] {
        Self.hash("CN-ID", preIdentity, Self.bytes(of: start), timeKey(startingAt: start))
    }

    /// The identities of all hours that a visit touches.
    package func identities(from start: Date, to end: Date) -> [[UInt8]] {
        let interval = Int64(Self.interval)
        let (first, last) = (Int64(start.timeIntervalSince1970), Int64(end.timeIntervalSince1970.rounded(.up)))
        return stride(from: first - first % interval, to: max(last, first + 1), by: Int(interval)).map {
            identity(startingAt: $0)
        }
    }

    func timeKey(startingAt start: Int64) -> [UInt8] {
        Self.hash("CN-TIMEKEY", Self.bytes(of: start), timeNonce)
    }

    /// Four bytes of the interval and eight of the start, highest first.
    private static func bytes(of start: Int64) -> [UInt8] {
        withUnsafeBytes(of: interval.bigEndian) { Array($0) } + withUnsafeBytes(of: start.bigEndian) { Array($0) }
    }

    private static func hash(_ purpose: String, _ parts: any Sequence<UInt8>...) -> [UInt8] {
        Array(SHA256.hash(data: parts.reduce(into: Array(purpose.utf8)) { bytes, part in bytes += Array(part) }))
    }
}
