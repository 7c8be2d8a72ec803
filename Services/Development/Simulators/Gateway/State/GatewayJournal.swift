import ExposureKeys
import FederationFormat
import FoundationEssentials
import Glibc
package import Running
import StrictJSON

/// What the gateway was told, in a file: a process that is killed leaves everything to the next one that it answered for.
///
/// One JSON document a line, written before the answer, in the order in which things happened. The file is not synced: it survives the
/// process, not a power cut.
package final class GatewayJournal: Sendable {
    /// Something that happened.
    enum Event: Codable, Sendable {
        /// A simulated country got its keys.
        case country(SimulatedCountry)
        /// A country uploaded keys.
        case upload(StoredUpload)
        /// An upload was added to a batch.
        case insertion(StoredUpload, batch: String)
        /// All uploads were put into batches.
        case batching
        /// A country wants to be called.
        case subscription(country: String, id: String, url: String)
        /// A country doesn't want to be called any more.
        case unsubscription(country: String, id: String)
        /// A country was called, or couldn't be.
        case call(subscription: Int, succeeded: Bool)
        /// A subscription ended.
        case end(subscription: Int)
        /// The clock was moved ahead.
        case clock(seconds: TimeInterval)
    }

    private struct Entry: Codable {
        let at: Date
        let event: Event
    }

    private let descriptor: Int32
    /// In bytes: three times what a full gateway needs.
    private static let limit: off_t = 128 << 20

    /// Opens a journal, or begins one.
    /// - Throws: `FileProblem`, also if another process has it open.
    package init(_ path: String) throws(FileProblem) {
        descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw FileProblem(number: errno)
        }
    }

    deinit {
        // A program that is just being started has the descriptor, and so the lock, until it runs.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Whether no more keys fit. Whoever needs the room removes the file while the gateway doesn't run.
    var isFull: Bool { lseek(descriptor, 0, SEEK_END) > Self.limit }

    /// Writes an event down.
    ///
    /// A gateway that can't keep what it answers for ends here.
    func append(_ event: Event, at now: Date) {
        guard var line = try? JSONEncoder().encode(Entry(at: now, event: event)) else {
            preconditionFailure("an event can't be encoded")
        }
        line.append(Self.newline)
        let written = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard written == line.count else { preconditionFailure("the journal can't be written") }
    }

    /// Calls a closure with everything that happened, in order. The beginning of a line that a kill has cut off is removed.
    /// - Throws: `FileProblem`; `DecodingError` for what another version wrote.
    func replay(_ body: (Date, Event) throws -> Void) throws {
        var content = try content()
        let end = content.lastIndex(of: Self.newline).map { $0 + 1 } ?? 0
        guard ftruncate(descriptor, off_t(end)) == 0 else { throw FileProblem(number: errno) }
        content.removeSubrange(end...)
        for line in content.split(separator: Self.newline) {
            let entry = try StrictJSON.decode(Entry.self, from: Data(line))
            try body(entry.at, entry.event)
        }
    }

    private func content() throws(FileProblem) -> [UInt8] {
        var content = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
        var place = 0
        while place < content.count {
            let count = content.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress?.advanced(by: place), $0.count - place, off_t(place))
            }
            guard count > 0 else { throw FileProblem(number: count < 0 ? errno : EIO) }
            place += count
        }
        return content
    }

    private static let newline = UInt8(ascii: "\n")
}

// MARK: Forms

extension StoredUpload: Codable {
    private enum CodingKeys: String, CodingKey {
        case tag, country, thumbprint, signer, signature, keys, uploaded
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let body = Array(try fields.decode(Data.self, forKey: .keys))
        self.init(
            tag: try fields.decode(String.self, forKey: .tag),
            uploader: AuthenticatedCaller(
                country: try CountryCode(decoding: fields.decode(String.self, forKey: .country)),
                thumbprint: try fields.decode(String.self, forKey: .thumbprint)),
            signingThumbprint: try fields.decode(String.self, forKey: .signer),
            signature: try fields.decode(String.self, forKey: .signature),
            keys: try ReceivedBatch(protobuf: body, limit: .max).keys,
            uploaded: try fields.decode(Date.self, forKey: .uploaded))
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(tag, forKey: .tag)
        try fields.encode(uploader.country.text, forKey: .country)
        try fields.encode(uploader.thumbprint, forKey: .thumbprint)
        try fields.encode(signingThumbprint, forKey: .signer)
        try fields.encode(signature, forKey: .signature)
        try fields.encode(Data(KeyBatch.protobuf(keys)), forKey: .keys)
        try fields.encode(uploaded, forKey: .uploaded)
    }
}

extension SimulatedCountry: Codable {
    private enum CodingKeys: String, CodingKey {
        case code, authentication, authenticationKey, signing, signingKey
    }

    /// Reads what ``encode(to:)`` wrote.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        func identity(_ certificate: CodingKeys, _ key: CodingKeys) throws -> FederationIdentity {
            FederationIdentity(
                certificate: try FederationCertificate(pem: fields.decode(String.self, forKey: certificate)),
                privateKeyPEM: try fields.decode(String.self, forKey: key))
        }
        self.init(
            code: try CountryCode(decoding: fields.decode(String.self, forKey: .code)),
            authentication: try identity(.authentication, .authenticationKey),
            signing: try identity(.signing, .signingKey))
    }

    /// Writes both certificates and keys as PEM.
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(code.text, forKey: .code)
        try fields.encode(authentication.certificate.pem, forKey: .authentication)
        try fields.encode(authentication.privateKeyPEM, forKey: .authenticationKey)
        try fields.encode(signing.certificate.pem, forKey: .signing)
        try fields.encode(signing.privateKeyPEM, forKey: .signingKey)
    }
}

extension CountryCode {
    /// Of a journal.
    fileprivate init(decoding text: String) throws {
        guard let code = CountryCode(text) else { throw FileProblem(number: EINVAL) }
        self = code
    }
}
