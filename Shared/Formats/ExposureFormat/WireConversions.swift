package import ExposureKeys
import FoundationEssentials
import SwiftProtobuf
package import Venues

// The only file that sees both the protobuf messages and the domain.

// MARK: - Key export

/// The message after the header in a key file.
enum WireKeyExport {
    /// All fields of a `TemporaryExposureKeyExport` except its keys, which follow them (``RecordShape``).
    static func encodeHead(header: ExportHeader, signers: [SigningIdentity]) throws -> [UInt8] {
        let message = TemporaryExposureKeyExport.with {
            $0.startTimestamp = header.startTimestamp
            $0.endTimestamp = header.endTimestamp
            $0.region = header.region
            $0.batchNum = header.batch.number
            $0.batchSize = header.batch.size
            $0.signatureInfos = signers.map(SignatureInfo.init)
        }
        return try message.serializedBytes()
    }

    static func decode(
        _ bytes: [UInt8]
    ) throws(ArchiveDamage) -> (header: ExportHeader, signers: [SigningIdentity], keys: [ExportedKey]) {
        let message: TemporaryExposureKeyExport
        do {
            message = try TemporaryExposureKeyExport(serializedBytes: bytes)
        } catch {
            throw .unreadableExport
        }
        let batch = try Batch(wire: message.batchNum, message.batchSize)
        guard message.hasStartTimestamp, message.hasEndTimestamp,
            let header = ExportHeader(
                startTimestamp: message.startTimestamp, endTimestamp: message.endTimestamp, region: message.region,
                batch: batch)
        else { throw .invalidWindow }
        var keys: [ExportedKey] = []
        keys.reserveCapacity(message.keys.count)
        for (position, key) in message.keys.enumerated() {
            keys.append(try ExportedKey(key, position: position))
        }
        return (header, message.signatureInfos.map(SigningIdentity.init), keys)
    }
}

extension ExportedKey {
    fileprivate init(_ wire: TemporaryExposureKey, position: Int) throws(ArchiveDamage) {
        guard let data = KeyData(wire.keyData) else {
            throw .wrongKeyLength(position: position, length: wire.keyData.count)
        }
        guard let length = UInt32(exactly: wire.rollingPeriod), (1...IntervalNumber.perDay).contains(length) else {
            throw .rollingPeriodOutOfRange(position: position, value: wire.rollingPeriod)
        }
        guard let start = UInt32(exactly: wire.rollingStartIntervalNumber),
            let period = RollingPeriod(start: IntervalNumber(rawValue: start), length: length)
        else { throw .rollingStartOutOfRange(position: position, value: wire.rollingStartIntervalNumber) }
        guard let level = TransmissionRiskLevel(published: wire.transmissionRiskLevel) else {
            throw .transmissionRiskLevelOutOfRange(position: position, value: wire.transmissionRiskLevel)
        }
        // The schema's default is meant for uploads; to operating systems a file's key without a report type has none.
        self.init(
            data: data, rollingPeriod: period, transmissionRiskLevel: level,
            reportType: wire.hasReportType ? ReportType(wire.reportType) : .unknown,
            daysSinceOnsetOfSymptoms: wire.hasDaysSinceOnsetOfSymptoms ? wire.daysSinceOnsetOfSymptoms : nil)
    }
}

extension TransmissionRiskLevel {
    /// A file's level, of which 0 says that there is none, and reads as the lowest. Nil below 0 and above 8.
    ///
    /// Operating systems accept such a key like any other. Exposure windows have no level; the score of version 1 takes its factor from the
    /// level, for which Google's system then has 1 (google/exposure-notifications-internals, `RiskScoreCalculator`).
    fileprivate init?(published level: Int32) {
        self.init(rawValue: level == 0 ? Self.lowest.rawValue : Int(level))
    }
}

extension ReportType {
    fileprivate init(_ wire: TemporaryExposureKey.ReportType) {
        self =
            switch wire {
            case .unknown: .unknown
            case .confirmedTest: .confirmedTest
            case .confirmedClinicalDiagnosis: .confirmedClinicalDiagnosis
            case .selfReport: .selfReport
            case .recursive: .recursive
            case .revoked: .revoked
            }
    }
}

extension TemporaryExposureKey.ReportType {
    fileprivate init(_ domain: ExposureKeys.ReportType) {
        self =
            switch domain {
            case .unknown: .unknown
            case .confirmedTest: .confirmedTest
            case .confirmedClinicalDiagnosis: .confirmedClinicalDiagnosis
            case .selfReport: .selfReport
            case .recursive: .recursive
            case .revoked: .revoked
            }
    }
}

// MARK: - Signatures

/// The content of `export.sig`.
enum WireSignatureList {
    static func encode(_ signatures: [ArchiveSignature]) throws -> [UInt8] {
        let message = TEKSignatureList.with {
            $0.signatures = signatures.map(TEKSignature.init)
        }
        return try message.serializedBytes()
    }

    static func decode(_ bytes: [UInt8]) throws(ArchiveDamage) -> [ArchiveSignature] {
        let message: TEKSignatureList
        do {
            message = try TEKSignatureList(serializedBytes: bytes)
        } catch {
            throw .unreadableSignatureList
        }
        var signatures: [ArchiveSignature] = []
        for wire in message.signatures {
            signatures.append(
                ArchiveSignature(
                    identity: SigningIdentity(wire.signatureInfo),
                    batch: try Batch(wire: wire.batchNum, wire.batchSize),
                    bytes: Array(wire.signature)))
        }
        return signatures
    }
}

extension TEKSignature {
    fileprivate init(_ signature: ArchiveSignature) {
        self.init()
        signatureInfo = SignatureInfo(signature.identity)
        batchNum = signature.batch.number
        batchSize = signature.batch.size
        self.signature = Data(signature.bytes)
    }
}

extension SignatureInfo {
    fileprivate init(_ identity: SigningIdentity) {
        self.init()
        appBundleID = identity.appBundleID
        verificationKeyVersion = identity.keyVersion
        verificationKeyID = identity.keyID
        signatureAlgorithm = identity.algorithm
    }
}

extension SigningIdentity {
    fileprivate init(_ wire: SignatureInfo) {
        self.init(
            appBundleID: wire.appBundleID, keyID: wire.verificationKeyID, keyVersion: wire.verificationKeyVersion,
            algorithm: wire.signatureAlgorithm)
    }
}

extension Batch {
    fileprivate init(wire number: Int32, _ size: Int32) throws(ArchiveDamage) {
        guard let batch = Batch(number: number, size: size) else { throw .invalidBatch(number: number, size: size) }
        self = batch
    }
}

// MARK: - Upload

extension TemporaryExposureKey {
    /// A key as a phone uploads it, with all fields.
    package init(uploading key: DiagnosisKey) {
        self.init()
        keyData = key.data.withUnsafeBytes { Data($0) }
        transmissionRiskLevel = Int32(key.transmissionRiskLevel.rawValue)
        rollingStartIntervalNumber = Int32(key.rollingPeriod.start.rawValue)
        rollingPeriod = Int32(key.rollingPeriod.length)
        reportType = ReportType(key.reportType)
        daysSinceOnsetOfSymptoms = key.daysSinceOnsetOfSymptoms.rawValue
    }
}

extension SubmissionPayload {
    /// The unchecked keys, for `UploadRules`. Defaults are those of the schema: a period of 144, a confirmed test.
    ///
    /// A missing start is 0, which breaks a rule.
    package var uploadedKeys: [UploadedKey] {
        keys.map { key in
            UploadedKey(
                data: Array(key.keyData), rollingStart: Int64(key.rollingStartIntervalNumber),
                rollingPeriod: Int64(key.rollingPeriod),
                transmissionRiskLevel: key.hasTransmissionRiskLevel ? Int(key.transmissionRiskLevel) : nil,
                daysSinceOnsetOfSymptoms: key.hasDaysSinceOnsetOfSymptoms ? key.daysSinceOnsetOfSymptoms : nil,
                reportType: ReportType(key.reportType))
        }
    }

    /// The well-formed protected reports; the others are dropped.
    package var wellFormedReports: [CheckInReport] { checkInProtectedReports.compactMap(\.report) }
}

extension CheckInProtectedReport {
    /// The report; nil if one of its parts has the wrong length.
    package var report: CheckInReport? {
        CheckInReport(
            locationIDHash: locationIDHash, initializationVector: iv, encryptedRecord: encryptedCheckInRecord,
            authenticationCode: mac)
    }

    /// A report as a phone uploads it.
    package init(uploading report: CheckInReport) {
        self.init()
        locationIDHash = Data(report.locationIDHash)
        iv = Data(report.initializationVector)
        encryptedCheckInRecord = Data(report.encryptedRecord)
        mac = Data(report.authenticationCode)
    }
}
