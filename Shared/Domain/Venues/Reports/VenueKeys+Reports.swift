import Crypto
import CryptoExtras
import ExposureKeys
import FoundationEssentials

extension VenueKeys {
    /// The report of a visit, which visitors of this venue can read.
    ///
    /// The ciphertext is of start and end, four bytes each, highest first, and the transmission risk level, one byte.
    /// - Parameter initializationVector: 16 bytes, random for each report. A constant one is for test vectors only.
    /// - Throws: for another number of bytes.
    package func seal(_ visit: VisitRecord, initializationVector: [UInt8]? = nil) throws -> VenueReport {
        let vector = initializationVector ?? SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
        let authenticated = vector + (try cipher(Self.encode(visit), vector))
        let code = HMAC<SHA256>.authenticationCode(for: authenticated, using: authentication)
        guard let report = VenueReport(authenticated + code) else { throw CryptoKitError.incorrectParameterSize }
        return report
    }

    /// What a report says; nil if it is of another venue, was changed, or says what no app would.
    package func open(_ report: VenueReport) -> VisitRecord? {
        guard
            HMAC<SHA256>.isValidAuthenticationCode(
                Array(report.authenticationCode), authenticating: Array(report.authenticated), using: authentication),
            let plain = try? cipher(Array(report.encryptedRecord), Array(report.initializationVector))
        else { return nil }
        return Self.decode(plain)
    }

    /// AES-256 in counter mode, whose first counter block is the initialization vector. Encrypts and decrypts.
    private func cipher(_ bytes: [UInt8], _ vector: [UInt8]) throws -> [UInt8] {
        Array(try AES._CTR.encrypt(bytes, using: encryption, nonce: AES._CTR.Nonce(nonceBytes: vector)))
    }

    private static func encode(_ visit: VisitRecord) -> [UInt8] {
        [visit.start, visit.end].flatMap { interval in
            withUnsafeBytes(of: interval.rawValue.bigEndian) { Array($0) }
        } + [UInt8(visit.transmissionRiskLevel.rawValue)]
    }

    private static func decode(_ bytes: [UInt8]) -> VisitRecord? {
        guard bytes.count == 9, let level = TransmissionRiskLevel(rawValue: Int(bytes[8])) else { return nil }
        func interval(_ place: Int) -> IntervalNumber {
            IntervalNumber(rawValue: bytes[place..<(place + 4)].reduce(0) { $0 << 8 | UInt32($1) })
        }
        return VisitRecord(start: interval(0), end: interval(4), transmissionRiskLevel: level)
    }
}
