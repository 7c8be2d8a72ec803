/// A report about a visit to a venue, which only somebody who was there can decrypt (`CheckInProtectedReport`):
/// https://github.com/corona-warn-app/cwa-server/blob/main/common/protocols/src/main/proto/app/coronawarn/server/common/protocols/internal/pt/check_in.proto
///
/// To everybody else it is 96 random-looking bytes; two visits to one venue share the first 32.
package struct CheckInReport: Hashable, Sendable {
    /// The four parts, concatenated: exactly 96 bytes.
    package let bytes: [UInt8]

    /// The number of bytes in a report.
    package static let count = 32 + 16 + 16 + 32

    /// Nil unless there are exactly 96 bytes.
    package init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    /// Nil unless each part has its length, in bytes.
    /// - Parameters:
    ///   - locationIDHash: SHA-256 of the venue's identifier, 32.
    ///   - initializationVector: 16.
    ///   - encryptedRecord: one block of AES-256-CBC, 16.
    ///   - authenticationCode: HMAC-SHA-256 over vector and record, 32.
    package init?(
        locationIDHash: some Collection<UInt8>, initializationVector: some Collection<UInt8>,
        encryptedRecord: some Collection<UInt8>, authenticationCode: some Collection<UInt8>
    ) {
        guard locationIDHash.count == 32, initializationVector.count == 16, encryptedRecord.count == 16,
            authenticationCode.count == 32
        else { return nil }
        bytes = Array(locationIDHash) + initializationVector + encryptedRecord + authenticationCode
    }

    /// SHA-256 of the venue's identifier, 32 bytes.
    package var locationIDHash: ArraySlice<UInt8> { bytes[0..<32] }
    /// The initialization vector of the record's encryption, 16 bytes.
    package var initializationVector: ArraySlice<UInt8> { bytes[32..<48] }
    /// When, how long and how risky the visit was, encrypted: 16 bytes.
    package var encryptedRecord: ArraySlice<UInt8> { bytes[48..<64] }
    /// The authentication code over vector and record, 32 bytes.
    package var authenticationCode: ArraySlice<UInt8> { bytes[64..<96] }
}

extension CheckInReport: Comparable {
    /// Compares the bytes, so that the order depends on content alone.
    package static func < (left: CheckInReport, right: CheckInReport) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
