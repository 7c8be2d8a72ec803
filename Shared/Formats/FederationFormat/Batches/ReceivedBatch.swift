package import ExposureKeys

/// A batch that somebody else made: good keys, bad ones with the reason, and what a signature covers.
///
/// A bad key costs only itself. It keeps its place, because the gateway's audit counts it.
package struct ReceivedBatch: Hashable, Sendable {
    /// In the order of the body, which no signature covers: derive nothing from it but the audit's slices.
    package let entries: [Entry]
    /// One for each entry.
    package let records: KeyRecords

    /// A key's place in a batch.
    package struct Entry: Hashable, Sendable {
        /// The key, or what is wrong with it.
        package let key: Result<FederatedKey, KeyFlaw>
        /// The country that it names, also if something else of it is wrong.
        package let origin: CountryCode?
    }

    /// The most keys that the gateway puts into a batch, and takes in an upload.
    package static let mostKeys = 5000

    /// Reads an `eu.interop.DiagnosisKeyBatch`; no bytes are an empty batch.
    /// - Parameters:
    ///   - limit: of the body, in bytes. 5,000 keys with thirty countries each have less than a megabyte.
    ///   - starts: of the rolling periods; nil for all.
    package init(
        protobuf body: [UInt8], limit: Int, starts: ClosedRange<IntervalNumber>? = nil
    ) throws(BatchFlaw) {
        guard body.count <= limit else { throw .tooLarge }
        let places = try BatchFields.keys(in: body)
        var content = Content(count: places.count, starts: starts)
        var canonical = CanonicalKeys()
        body.withUnsafeBytes { bytes in
            for place in places {
                if let key = canonical.read(UnsafeRawBufferPointer(rebasing: bytes[place])) {
                    content.append(key)
                } else {
                    content.append(UncheckedKey(protobuf: body[place]))
                }
            }
        }
        (entries, records) = (content.entries, content.records)
    }

    /// Reads the gateway's JSON; no bytes are an empty batch, and so is `{}`.
    /// - Parameters:
    ///   - limit: of the body, in bytes.
    ///   - starts: of the rolling periods; nil for all.
    package init(
        json body: [UInt8], limit: Int, starts: ClosedRange<IntervalNumber>? = nil
    ) throws(BatchFlaw) {
        guard body.count <= limit else { throw .tooLarge }
        let keys = try BatchMembers.keys(in: body)
        var content = Content(count: keys.count, starts: starts)
        for key in keys { content.append(key) }
        (entries, records) = (content.entries, content.records)
    }

    /// What was read so far.
    private struct Content {
        private(set) var entries: [Entry] = []
        private(set) var records = KeyRecords()
        private let starts: ClosedRange<IntervalNumber>?
        private var countries = CountryText()

        init(count: Int, starts: ClosedRange<IntervalNumber>?) {
            self.starts = starts
            entries.reserveCapacity(count)
            records.reserve(count)
        }

        mutating func append(_ key: FederatedKey) {
            records.append(key, &countries)
            let isAccepted = starts?.contains(key.rollingPeriod.start) ?? true
            entries.append(Entry(key: isAccepted ? .success(key) : .failure(.rollingStart), origin: key.origin))
        }

        /// - Parameter key: nil for one that can't be decoded.
        mutating func append(_ key: UncheckedKey?) {
            guard let key else {
                entries.append(Entry(key: .failure(.unreadable), origin: nil))
                records.appendUnreadable()
                return
            }
            records.append(key)
            do throws(KeyFlaw) {
                let good = try FederatedKey(key, starts: starts)
                entries.append(Entry(key: .success(good), origin: good.origin))
            } catch {
                entries.append(Entry(key: .failure(error), origin: CountryCode(key.origin)))
            }
        }
    }

    /// The good keys.
    package var keys: [FederatedKey] { entries.compactMap { try? $0.key.get() } }

    /// How many keys are bad, by reason.
    package var flaws: [KeyFlaw: Int] {
        entries.reduce(into: [:]) { counts, entry in
            if case .failure(let flaw) = entry.key { counts[flaw, default: 0] += 1 }
        }
    }
}

/// Why a whole body is no batch.
package enum BatchFlaw: String, Error, Hashable, Sendable, CaseIterable {
    /// The body has more bytes than are read.
    case tooLarge = "too_large"
    /// There are more than ``ReceivedBatch/mostKeys``.
    case tooManyKeys = "too_many_keys"
    /// It isn't the format at all.
    case unreadable
}
