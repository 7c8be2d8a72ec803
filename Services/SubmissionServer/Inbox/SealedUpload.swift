import Credentials
import ExposureKeys
import HourKeys
import Venues

import enum Crypto.Curve25519

/// An upload that only the holder of the hour's private key can open (``RowEnvelope``).
///
/// There are two sizes (``Room``), so that the size tells nothing about keys, and of reports only that there may be many.
struct SealedUpload: Sendable {
    /// As ``RowEnvelope`` seals it.
    let bytes: [UInt8]

    fileprivate static let envelope = RowEnvelope(for: "vigil inbox 2")

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// For how many reports of the Corona-Warn-App a row has room, beside the most keys. Venue reports are shorter, and what an upload has
    /// of both kinds fits into 8,192 bytes.
    enum Room: Int, CaseIterable, Sendable {
        /// Two reports a day for sixteen days, or 53 venue reports: 3,500 bytes.
        case common = 32
        /// As many as an upload may have: 27,308 bytes.
        case large = 280

        /// For reports, in bytes.
        var size: Int { rawValue * CheckInReport.count }

        /// Of so many uploads that don't need it, one has a large row all the same. So a large row proves nothing; it costs
        /// 24 kB, which is a fifth more for all rows together.
        private static let share = 32

        /// For an upload.
        static func fitting(_ content: UploadContent, using random: inout some RandomNumberGenerator) -> Room {
            let isLarge = content.reportSize > Room.common.size || Int.random(in: 0..<share, using: &random) == 0
            return isLarge ? .large : .common
        }
    }

    /// Seals what is stored together.
    static func seal(
        _ uploads: [(tag: Digest, content: UploadContent)], to hourKey: HourPublicKey
    ) throws -> [SealedUpload] {
        var random = SystemRandomNumberGenerator()
        return try seal(
            uploads.map { ($0.tag, $0.content, Room.fitting($0.content, using: &random)) }, to: hourKey)
    }

    /// Seals what is stored together, each in the room that is given.
    static func seal(
        _ uploads: [(tag: Digest, content: UploadContent, room: Room)], to hourKey: HourPublicKey
    ) throws -> [SealedUpload] {
        try envelope.seal(uploads.map { ($0.tag, Plaintext.encode($0.content, in: $0.room)) }, to: hourKey)
            .map(SealedUpload.init)
    }
}

/// Opens the uploads of one hour; safe to use from several threads.
struct UploadOpener: Sendable {
    let hour: Hour
    let key: Curve25519.KeyAgreement.PrivateKey

    /// Nil if the row wasn't sealed to this key or has been changed.
    func open(_ sealed: SealedUpload, tag: Digest) -> UploadContent? {
        SealedUpload.envelope.open(sealed.bytes, tag: tag, hour: hour, with: key).flatMap(Plaintext.decode)
    }
}

/// The plaintext of a row: four bytes, then room for as many keys and reports as the row may have, filled up with zeros.
///
/// The first byte has the number of keys in its lower half. Its highest bit says that there are venue reports, the next one that there
/// are reports of the Corona-Warn-App as well, and the two others continue the number of reports, which is the second byte. The next two
/// are the numbers of keys and reports that were left out; the highest bit of the former says that the keys' owner agreed to give them to
/// other countries. If there are both kinds, the second byte counts the venue reports, and a byte
/// before all reports counts the Corona-Warn-App's, which come first.
private enum Plaintext {
    static let keysStart = 4
    static let reportsStart = keysStart + UploadContent.maximumKeys * KeyRecord.size

    static func size(of room: SealedUpload.Room) -> Int { reportsStart + room.size }

    private enum Mark {
        static let venueReports = 0x80
        static let bothKinds = 0x40
        /// In the third byte.
        static let federated = 0x80
    }

    static func encode(_ content: UploadContent, in room: SealedUpload.Room) -> [UInt8] {
        precondition(content.keys.count <= UploadContent.maximumKeys)
        precondition(!content.hasBothKinds || max(content.reports.count, content.venueReports.count) <= UInt8.max)
        precondition(content.reportSize <= room.size)
        let size = size(of: room)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        let (count, mark) =
            content.venueReports.isEmpty
            ? (content.reports.count, 0)
            : (content.venueReports.count, Mark.venueReports | (content.hasBothKinds ? Mark.bothKinds : 0))
        bytes += [
            UInt8(mark | content.keys.count | (count >> 8) << 4), UInt8(truncatingIfNeeded: count),
            UInt8(min(content.left.keys, Mark.federated - 1) | (content.stream == .federated ? Mark.federated : 0)),
            UInt8(clamping: content.left.reports),
        ]
        for key in content.keys { KeyRecord.append(key, to: &bytes) }
        bytes.append(contentsOf: repeatElement(0, count: reportsStart - bytes.count))
        if content.hasBothKinds { bytes.append(UInt8(content.reports.count)) }
        for report in content.reports { bytes += report.bytes }
        for report in content.venueReports { bytes += report.bytes }
        bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
        return bytes
    }

    static func decode(_ bytes: [UInt8]) -> UploadContent? {
        guard SealedUpload.Room.allCases.contains(where: { size(of: $0) == bytes.count }) else { return nil }
        let (keyCount, count) = (Int(bytes[0] & 15), Int(bytes[0] >> 4 & 3) << 8 | Int(bytes[1]))
        let hasVenueReports = Int(bytes[0]) & Mark.venueReports != 0
        let hasBothKinds = Int(bytes[0]) & Mark.bothKinds != 0
        // No build writes the second mark alone.
        guard keyCount <= UploadContent.maximumKeys, hasVenueReports || !hasBothKinds else { return nil }
        let keys = (0..<keyCount).compactMap { number in
            KeyRecord.decode(bytes[keysStart + number * KeyRecord.size..<keysStart + (number + 1) * KeyRecord.size])
        }
        guard keys.count == keyCount else { return nil }
        var rest = bytes[reportsStart...]
        let reportCount = hasBothKinds ? Int(rest.removeFirst()) : hasVenueReports ? 0 : count
        guard let reports = take(reportCount, of: CheckInReport.count, from: &rest),
            let venueReports = take(hasVenueReports ? count : 0, of: VenueReport.count, from: &rest)
        else { return nil }
        let isFederated = Int(bytes[2]) & Mark.federated != 0
        return UploadContent(
            keys: keys, stream: isFederated ? .federated : .home, reports: reports.compactMap { CheckInReport($0) },
            venueReports: venueReports.compactMap { VenueReport($0) },
            left: .init(keys: Int(bytes[2]) & (Mark.federated - 1), reports: Int(bytes[3])))
    }

    /// The first parts of so many bytes each; nil if there are fewer.
    private static func take(
        _ count: Int, of length: Int, from rest: inout ArraySlice<UInt8>
    ) -> [ArraySlice<UInt8>]? {
        guard count * length <= rest.count else { return nil }
        let parts = (0..<count).map { rest.dropFirst($0 * length).prefix(length) }
        rest = rest.dropFirst(count * length)
        return parts
    }
}

extension UploadContent {
    /// Whether there are reports of both kinds.
    fileprivate var hasBothKinds: Bool { !reports.isEmpty && !venueReports.isEmpty }

    /// What the reports take of a row, in bytes.
    fileprivate var reportSize: Int {
        reports.count * CheckInReport.count + venueReports.count * VenueReport.count + (hasBothKinds ? 1 : 0)
    }
}
