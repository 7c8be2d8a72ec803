import Crypto

/// A positive report as the lists have it: nothing says when within an hour it came.
struct PublicReport: Sendable, Equatable {
    /// The id's two halves.
    private(set) var high: UInt64
    private(set) var low: UInt64
    /// The hour of the last update, since 1970.
    private(set) var hour: Int32
    private(set) var feelingSick: Bool
    private(set) var hasBeenTested: Bool

    /// As far as phones read it. Who met the person must not learn more than that, so the answers are false and the time is a day's.
    var forPhones: PublicReport {
        var report = self
        report.hour -= hour % 24
        report.feelingSick = false
        report.hasBeenTested = false
        return report
    }
}

extension [PublicReport] {
    /// Sorts by id, so that the order says nothing about when a report came.
    mutating func sortByID() {
        sort { $0.high == $1.high ? $0.low < $1.low : $0.high < $1.high }
    }

    /// Gives each report a random id (version 4), and sorts by it.
    ///
    /// The ids are unrelated to the former ones and to those of any other list, and nothing remembers them. Sorting by them is a random order.
    mutating func rotateIDs() throws {
        // The key stream of a new key: a call of the system's generator for each id would take as long as all the rest.
        let zeros = [UInt8](repeating: 0, count: 16 * count)
        let random = Array<UInt8>(try ChaChaPoly.seal(zeros, using: SymmetricKey(size: .bits256)).ciphertext)
        for index in indices {
            func half(_ start: Int) -> UInt64 { random[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
            self[index].setID(half(16 * index), half(16 * index + 8))
        }
        sortByID()
    }
}

extension PublicReport {
    /// Random bits as an id of version 4 (RFC 9562, section 5.4).
    fileprivate mutating func setID(_ high: UInt64, _ low: UInt64) {
        self.high = high & ~0xf000 | 0x4000
        self.low = low & ~(0b11 << 62) | 0b10 << 62
    }
}
