import Crypto
import ExposureKeys
import FoundationEssentials
import Phone
import Venues

/// What a phone reads of venues: codes, and its own diary.
extension DecoderTarget {
    /// A scanned text. What was read is shown in one line, and is read the same from the bytes that the diary keeps.
    static func venueCode(_ bytes: Data) -> Verdict {
        guard let code = VenueCode(scanned: String(decoding: bytes, as: UTF8.self), host: "example.org") else {
            return .refused
        }
        guard VenueCode(code.payload, code.format) == code else { return .broken("read again, it is another code") }
        for text in [code.description, code.address] where text.contains(where: \.isNewline) || text.utf16.count > 300 {
            return .broken("it is shown in more than one line")
        }
        guard code.usualMinutes.map({ (1...1440).contains($0) }) ?? true else {
            return .broken("it has no usual length")
        }
        return .value
    }

    /// The content of a diary. Whatever an app wrote, the operations of this one end.
    static func venueDiary(_ bytes: Data) -> Verdict {
        guard let diary = try? CheckInDiary(content: bytes) else { return .refused }
        let now = Date(timeIntervalSince1970: 1_614_848_400)
        var used = diary
        _ = used.due(.venueReports, in: Hour(containing: now)...Hour(containing: now))
        _ = used.news(by: .shipped, at: now)
        _ = used.compare(with: [], tombstones: [], at: now)
        var sharing = VisitSharing(used, by: .shipped, onset: .unsaid, at: now)
        for visit in used.checkIns { sharing.select(visit.id) }
        _ = sharing.candidates.flatMap(sharing.records)
        used.live(until: now)
        guard let again = try? diary.content(), let copy = try? CheckInDiary(content: again) else {
            return .broken("it can't be written and read again")
        }
        return copy == diary ? .value : .broken("read again, it is another diary")
    }

    /// A sealed diary, with a key of zeros.
    static func venueDiaryFile(_ bytes: Data) -> Verdict {
        let key = SymmetricKey(data: [UInt8](repeating: 0, count: 32))
        guard let diary = try? CheckInDiary(opening: Array(bytes), with: key) else { return .refused }
        guard let sealed = try? diary.sealed(with: key), let copy = try? CheckInDiary(opening: sealed, with: key) else {
            return .broken("it can't be sealed and opened again")
        }
        return copy == diary ? .value : .broken("opened again, it is another diary")
    }
}
