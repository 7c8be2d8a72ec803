import Credentials
import ExposureKeys
import Foundation

import enum Crypto.ChaChaPoly
import enum Crypto.Curve25519
import enum Crypto.HPKE
import struct Crypto.SymmetricKey

/// An upload that only the holder of the hour's private key can open.
///
/// HPKE (RFC 9180) in base mode with X25519 and HKDF-SHA256: those that are stored together share one encapsulated key,
/// whose exported secret (5.3) seals each with ChaCha20-Poly1305 under a nonce of its own. The sender forgets the secret
/// with the batch. The plaintext always has room for the largest upload, so that the size tells nothing about its keys and
/// reports. Tag and hour are authenticated with it: a row that was moved under another tag or hour doesn't open.
struct SealedUpload: Sendable {
    /// The encapsulated key (32 bytes), nonce (12), ciphertext, authentication code (16).
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Seals what is stored together.
    static func seal(
        _ uploads: [(tag: Digest, content: UploadContent)], to hourKey: HourPublicKey
    ) throws -> [SealedUpload] {
        let sender = try HPKE.Sender(recipientKey: hourKey.key, ciphersuite: Envelope.suite, info: Envelope.info)
        let secret = try sender.exportSecret(context: Envelope.context, outputByteCount: 32)
        return try uploads.map { upload in
            let box = try ChaChaPoly.seal(
                Plaintext.encode(upload.content), using: secret,
                authenticating: Envelope.authenticated(upload.tag, hourKey.hour))
            return SealedUpload(bytes: Array(sender.encapsulatedKey + box.combined))
        }
    }

    /// What sender and opener agree on.
    fileprivate enum Envelope {
        static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
        static let info = Data("vigil inbox 2".utf8)
        static let context = Data("rows".utf8)
        static let encapsulatedKeySize = 32

        static func authenticated(_ tag: Digest, _ hour: Hour) -> Data {
            Data(tag.bytes) + withUnsafeBytes(of: hour.number.bigEndian) { Data($0) }
        }
    }
}

/// Opens the uploads of one hour, also from several threads.
struct UploadOpener: Sendable {
    let hour: Hour
    let key: Curve25519.KeyAgreement.PrivateKey

    /// Nil when the row was not sealed to this key, or was changed since.
    func open(_ sealed: SealedUpload, tag: Digest) -> UploadContent? {
        let encapsulated = Data(sealed.bytes.prefix(SealedUpload.Envelope.encapsulatedKeySize))
        let combined = Data(sealed.bytes.dropFirst(SealedUpload.Envelope.encapsulatedKeySize))
        guard
            let recipient = try? HPKE.Recipient(
                privateKey: key, ciphersuite: SealedUpload.Envelope.suite, info: SealedUpload.Envelope.info,
                encapsulatedKey: encapsulated),
            let secret = try? recipient.exportSecret(context: SealedUpload.Envelope.context, outputByteCount: 32),
            let box = try? ChaChaPoly.SealedBox(combined: combined),
            let plaintext = try? ChaChaPoly.open(
                box, using: secret, authenticating: SealedUpload.Envelope.authenticated(tag, hour))
        else { return nil }
        return Plaintext.decode(Array(plaintext))
    }
}

/// The plaintext of a row: four bytes (keys, reports, keys left out, reports left out), then room for as many keys and
/// reports as an upload may have, filled up with zeros.
private enum Plaintext {
    static let reportsStart = 4 + UploadContent.maximumKeys * KeyRecord.size
    static let size = reportsStart + UploadContent.maximumReports * CheckInReport.count

    static func encode(_ content: UploadContent) -> [UInt8] {
        precondition(content.keys.count <= UploadContent.maximumKeys)
        precondition(content.reports.count <= UploadContent.maximumReports)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        bytes += [
            UInt8(content.keys.count), UInt8(content.reports.count), UInt8(clamping: content.left.keys),
            UInt8(clamping: content.left.reports),
        ]
        for key in content.keys { KeyRecord.append(key, to: &bytes) }
        bytes.append(contentsOf: repeatElement(0, count: reportsStart - bytes.count))
        for report in content.reports { bytes += report.bytes }
        bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
        return bytes
    }

    static func decode(_ bytes: [UInt8]) -> UploadContent? {
        guard bytes.count == size, bytes[0] <= UploadContent.maximumKeys, bytes[1] <= UploadContent.maximumReports
        else { return nil }
        let keys = (0..<Int(bytes[0])).compactMap {
            KeyRecord.decode(bytes[4 + $0 * KeyRecord.size..<4 + ($0 + 1) * KeyRecord.size])
        }
        let reports = (0..<Int(bytes[1])).compactMap { number in
            CheckInReport(
                bytes[reportsStart + number * CheckInReport.count..<reportsStart + (number + 1) * CheckInReport.count])
        }
        guard keys.count == bytes[0], reports.count == bytes[1] else { return nil }
        return UploadContent(
            keys: keys, reports: reports, left: .init(keys: Int(bytes[2]), reports: Int(bytes[3])))
    }
}

/// The public half of an hour's key.
struct HourPublicKey: Sendable {
    let hour: Hour
    let key: Curve25519.KeyAgreement.PublicKey
}
