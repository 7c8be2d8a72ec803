import Crypto
import ExposureKeys
import FederationFormat
import FoundationEssentials
import Synchronization

/// Everything that the gateway remembers, all of it in memory and bounded; a journal keeps it for the next process.
final class GatewayState: Sendable {
    private let contents: Mutex<Contents>
    /// By how many seconds earlier processes had moved the clock.
    let moved: TimeInterval

    /// - Parameter journal: what it has happens once more; nil for none.
    init(_ table: CertificateTable, _ mode: GatewayMode, _ journal: GatewayJournal? = nil) throws {
        var contents = Contents(table: table, mode: mode)
        var moved: TimeInterval = 0
        try journal?.replay { instant, event in
            contents.expire(at: instant)
            if case .clock(let seconds) = event { moved += seconds }
            contents.replay(event, at: instant)
        }
        contents.journal = journal
        self.contents = Mutex(contents)
        self.moved = moved
    }

    /// Passes everything to a closure, one after the other. What is too old at this instant has gone.
    func with<Result: Sendable, Failure: Error>(
        at now: Date, _ body: (inout Contents) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try contents.withLock { contents throws(Failure) in
            contents.expire(at: now)
            return try body(&contents)
        }
    }

    struct Contents: Sendable {
        var table: CertificateTable
        let mode: GatewayMode
        /// Those that are in no batch yet, in order.
        private(set) var waiting: [StoredUpload] = []
        /// In order.
        private(set) var batches: [StoredBatch] = []
        /// Of all stored uploads.
        private var tags: Set<String> = []
        /// Of the records of all stored keys.
        private var digests: Set<SHA256Digest> = []
        /// Midnight at which older keys were last deleted.
        private var cleaned: Day?
        private(set) var callbacks = CallbackTasks()
        var faults = Faults()
        /// The newest signature of each country.
        var lastSignatures: [CountryCode: String] = [:]
        /// What happens is written there first.
        fileprivate(set) var journal: GatewayJournal?

        /// All of them need some 60 MB.
        static let mostKeys = 300_000
        private static let mostUploads = 10_000
        private static let mostBatches = 10_000
        /// As many keys as an upload may have, or a batch.
        private static let batchLimit = ReceivedBatch.mostKeys

        init(table: CertificateTable, mode: GatewayMode) {
            self.table = table
            self.mode = mode
        }
    }
}

extension GatewayState.Contents {
    /// Lets something of a journal happen, whose events repeat neither faults nor changes of certificates.
    fileprivate mutating func replay(_ event: GatewayJournal.Event, at now: Date) {
        switch event {
        case .country, .clock: break
        case .upload(let upload): store(upload)
        case .insertion(let upload, let batch): BatchTag(batch).map { insert(upload, into: $0) }
        case .batching: _ = makeBatches(at: now)
        case .subscription(let country, let id, let url):
            _ = CountryCode(country).map { subscribe(id, of: $0, url: url, at: now) }
        case .unsubscription(let country, let id):
            _ = CountryCode(country).map { unsubscribe(id, of: $0, at: now) }
        case .call(let number, let succeeded): endCall(number, succeeded: succeeded, at: now)
        case .end(let number): endSubscription(number, at: now)
        }
    }

    // MARK: Uploads

    func knows(tag: String) -> Bool { tags.contains(tag) }

    /// Whether there is room for more.
    func hasRoom(for keys: Int) -> Bool {
        tags.count < Self.mostUploads && digests.count + keys <= Self.mostKeys && journal?.isFull != true
    }

    /// Whether a key with this record is stored, whichever country uploaded it.
    func knows(_ digest: SHA256Digest) -> Bool { digests.contains(digest) }

    /// Stores keys that aren't there. An upload without keys leaves no trace.
    mutating func store(_ upload: StoredUpload) {
        guard remember(upload) else { return }
        journal?.append(.upload(upload), at: upload.uploaded)
        waiting.append(upload)
    }

    /// Adds an upload to a batch that countries may have downloaded already, which the real gateway never does.
    mutating func insert(_ upload: StoredUpload, into tag: BatchTag) {
        guard let place = batches.lastIndex(where: { $0.tag == tag }), remember(upload) else { return }
        journal?.append(.insertion(upload, batch: tag.text), at: upload.uploaded)
        batches[place].uploads.append(upload)
    }

    private mutating func remember(_ upload: StoredUpload) -> Bool {
        guard !upload.keys.isEmpty, tags.insert(upload.tag).inserted else { return false }
        digests.formUnion(Self.digests(of: upload))
        return true
    }

    private static func digests(of upload: StoredUpload) -> [SHA256Digest] {
        let records = KeyRecords(upload.keys.map { UncheckedKey($0) })
        return (0..<records.count).map { records.digest(at: $0) }
    }

    // MARK: Batches

    func batch(_ tag: String) -> StoredBatch? { batches.last { $0.tag.text == tag } }

    /// The first batch after midnight: of any later day, too, at the European gateway.
    func firstBatch(of day: Day) -> StoredBatch? {
        batches.first { batch in
            let created = Day(containing: batch.created)
            return mode == .efgs ? created >= day : created == day
        }
    }

    /// Puts all waiting uploads into batches, whole uploads in their order, and wants everybody called back.
    mutating func makeBatches(at now: Date) -> [BatchTag] {
        if !waiting.isEmpty { journal?.append(.batching, at: now) }
        var made: [BatchTag] = []
        while let first = waiting.first {
            var uploads = [first]
            var count = first.keys.count
            for upload in waiting.dropFirst() {
                count += upload.keys.count
                guard count <= Self.batchLimit else { break }
                uploads.append(upload)
            }
            waiting.removeFirst(uploads.count)
            let tag = nextTag(at: now)
            if !batches.isEmpty { batches[batches.count - 1].next = tag }
            batches.append(StoredBatch(tag: tag, created: now, uploads: uploads))
            callbacks.announce(tag, of: Day(containing: now))
            made.append(tag)
        }
        if batches.count > Self.mostBatches { batches.removeFirst(batches.count - Self.mostBatches) }
        return made
    }

    /// `yyyyMMdd-N`, from 1 every day.
    private func nextTag(at now: Date) -> BatchTag {
        let today = Day(containing: now)
        let last = batches.last.flatMap { batch -> Int? in
            guard Day(containing: batch.created) == today else { return nil }
            return batch.tag.text.split(separator: "-").last.flatMap { Int($0) }
        }
        return .made(on: today, number: (last ?? 0) + 1)
    }

    // MARK: Callbacks

    /// - Returns: false if there are too many.
    mutating func subscribe(_ id: String, of country: CountryCode, url: String, at now: Date) -> Bool {
        guard callbacks.put(id, of: country, url: url) else { return false }
        journal?.append(.subscription(country: country.text, id: id, url: url), at: now)
        return true
    }

    /// - Returns: false if there is no such subscription.
    mutating func unsubscribe(_ id: String, of country: CountryCode, at now: Date) -> Bool {
        guard callbacks.delete(id, of: country) else { return false }
        journal?.append(.unsubscription(country: country.text, id: id), at: now)
        return true
    }

    /// Takes a subscription's first task, if it is due.
    mutating func beginCall(_ number: Int, at now: Date) -> (url: String, task: CallbackTasks.Announcement)? {
        callbacks.begin(number, at: now)
    }

    /// The first task succeeded, or is tried again later.
    mutating func endCall(_ number: Int, succeeded: Bool, at now: Date) {
        journal?.append(.call(subscription: number, succeeded: succeeded), at: now)
        callbacks.end(number, succeeded: succeeded, at: now)
    }

    mutating func endSubscription(_ number: Int, at now: Date) {
        journal?.append(.end(subscription: number), at: now)
        callbacks.remove(number)
    }

    /// Notes that the clock was moved.
    mutating func move(by seconds: TimeInterval, at now: Date) { journal?.append(.clock(seconds: seconds), at: now) }

    // MARK: Retention

    /// Deletes the keys of uploads that came before midnight some days ago. Batches stay, without them; duplicates and tags of
    /// uploads are accepted again.
    mutating func expire(at now: Date) {
        let first = Day(containing: now).advanced(by: -mode.days)
        guard cleaned != first else { return }
        cleaned = first
        waiting = kept(waiting, since: first)
        for place in batches.indices { batches[place].uploads = kept(batches[place].uploads, since: first) }
    }

    private mutating func kept(_ uploads: [StoredUpload], since first: Day) -> [StoredUpload] {
        uploads.filter { upload in
            guard Day(containing: upload.uploaded) < first else { return true }
            tags.remove(upload.tag)
            digests.subtract(Self.digests(of: upload))
            return false
        }
    }
}

extension BatchTag {
    /// The gateway's name of a batch.
    static func made(on day: Day, number: Int) -> BatchTag {
        let name = day.name.split(separator: "-").joined()
        guard let tag = BatchTag("\(name)-\(number)") else { preconditionFailure("not a name of a batch") }
        return tag
    }
}
