package import Crypto
package import FoundationEssentials
import StrictJSON

extension CheckInDiary {
    /// Why a sealed diary can't be read.
    package enum Unreadable: Error, Hashable {
        /// It was sealed with another key, was changed, or is no diary.
        case refused
        /// It is a diary of another version of the app.
        case unknownVersion
    }

    /// The first byte of a sealed diary, which is authenticated with the rest.
    private static let version: UInt8 = 1
    private static let purpose = Array("vigil check-in diary".utf8)
    /// Sealed diaries have whole multiples of this size, plus ``overhead``: the length of the file tells little about the number of visits.
    static let step = 16_384
    /// Version, nonce and tag.
    static let overhead = 1 + 12 + 16

    /// The diary as the app writes it to its file: one value of AES-256-GCM, of which nothing can be read or changed without the key.
    /// - Parameter key: of the device, 256 bits; it is available only while the device is unlocked, and part of no backup.
    package func sealed(with key: SymmetricKey) throws -> [UInt8] {
        var plain = try content()
        // Blanks after a JSON value mean nothing.
        let missing = (Self.step - plain.count % Self.step) % Self.step
        plain.append(Data(repeating: UInt8(ascii: " "), count: missing))
        let sealed = try AES.GCM.seal(plain, using: key, authenticating: Self.purpose + [Self.version])
        guard let combined = sealed.combined else { throw Unreadable.refused }
        return [Self.version] + combined
    }

    /// The diary of a file.
    package init(opening sealed: [UInt8], with key: SymmetricKey) throws(Unreadable) {
        guard let version = sealed.first else { throw .refused }
        guard version == Self.version else { throw .unknownVersion }
        do {
            let box = try AES.GCM.SealedBox(combined: sealed.dropFirst())
            let plain = try AES.GCM.open(box, using: key, authenticating: Self.purpose + [version])
            try self.init(content: plain)
        } catch {
            throw .refused
        }
    }

    /// What is sealed: JSON.
    package func content() throws -> Data { try JSONEncoder().encode(self) }

    /// The diary of what was sealed. It is authentic; what another version of the app wrote is still held against what follows from the
    /// operations of this one.
    package init(content: Data) throws(Unreadable) {
        guard let diary = try? StrictJSON.decode(Self.self, from: content), diary.isConsistent else {
            throw .refused
        }
        self = diary
    }

    private var isConsistent: Bool {
        let ids = Set(checkIns.map(\.id))
        let packages = [ReportPackages.venueReports, .checkInReports].map { compared[$0] }
        return ids.count == checkIns.count && ids.allSatisfy { $0 < nextID } && nextID < .max / 2
            && checkIns.count <= Self.maximumCheckIns && warnings.count <= Self.maximumWarnings
            && checkIns.allSatisfy(\.isConsistent)
            && packages.allSatisfy { $0.allSatisfy { (0...Self.lastHour).contains($0) } }
    }

    /// The year 9999: no phone's clock shows more.
    private static let lastHour = Int32(CheckIn.lastSecond / 3600)
}
