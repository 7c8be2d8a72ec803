import ExposureFormat
import ExposureKeys
import FoundationEssentials
import Running

/// What there is to say about a published archive: of keys, check-in reports, configuration, or any other; or a bundle of venue reports.
///
/// The archive may come from anybody, so nothing of it reaches a terminal without being made printable, and what is read has limits.
package struct Inspection: Sendable {
    /// A line of the text, or a member of the JSON.
    private struct Fact {
        let name: String
        let value: JSONValue
        /// In the text; nil if the value itself stands there.
        var words: String?
    }

    private let facts: [Fact]

    /// - Parameters:
    ///   - path: where it is published, such as `version/v1/stats`; nil to take it from the file's name. Key archives need none.
    ///   - publicKeyFile: the key that must have signed it; nil to check no signature.
    /// - Throws: ``CommandFailure`` with a sentence that says what is damaged.
    package init(file: String, path: String? = nil, publicKeyFile: String?) throws {
        let keys = try publicKeyFile.map { [try Self.key(in: $0)] }
        let place = PublishedPath(in: path ?? file)
        let bytes = try Self.bytes(of: file)
        if bytes.isEmpty, place?.hasReports == true {
            facts = [Fact(name: "content", value: .text("an hour without check-in reports"))]
            return
        }
        do throws(ArchiveDamage) {
            let isBundle = place?.hasVenueReports == true
            let archive = isBundle ? try VenueReportPackage.open(bytes) : try SignedArchive.read(bytes)
            if let keys { try archive.requireSignature(of: keys) }
            let content = isBundle ? try Self.venueReports(archive) : try Self.content(of: archive, at: place)
            facts = content + Self.signatures(of: archive, keys)
        } catch let damage {
            throw CommandFailure("\(file): \(damage)")
        }
    }

    // MARK: Output

    /// Some lines, each a name and a value.
    package var text: String {
        facts.map { fact in
            let words = fact.words ?? Self.json(fact.value, pretty: false)
            let name = String(fact.name.prefix(11))
            return name + String(repeating: " ", count: 11 - name.count) + Self.printable(words)
        }.joined(separator: "\n")
    }

    /// The same and more, as a JSON object.
    package var json: String {
        let signatures = facts.filter { $0.name == "signature" }.map(\.value)
        let others = facts.filter { $0.name != "signature" }.map { ($0.name, $0.value) }
        let members = Dictionary(others) { first, _ in first }.merging(["signatures": .array(signatures)]) { $1 }
        return Self.escaped(Self.json(.object(members), pretty: true))
    }

    /// JSON in ASCII: not only control characters can upset a terminal.
    private static func escaped(_ json: String) -> String {
        json.utf16.reduce(into: "") { escaped, unit in
            if let scalar = Unicode.Scalar(unit), scalar.isASCII {
                escaped.unicodeScalars.append(scalar)
            } else {
                let digits = String(unit, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }

    private static func json(_ value: JSONValue, pretty: Bool) -> String {
        if !pretty, case .text(let text) = value { return text }
        let encoder = JSONEncoder()
        encoder.outputFormatting = pretty ? [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes] : .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    /// Without control characters and the like, which could write elsewhere on a terminal.
    private static func printable(_ text: String) -> String {
        String(text.map { $0.isASCII && $0 >= " " && $0 != "\u{7F}" ? $0 : "?" })
    }

    // MARK: Content

    private static func content(
        of archive: SignedArchive, at place: PublishedPath?
    ) throws(ArchiveDamage) -> [Fact] {
        do throws(ArchiveDamage) {
            return describe(try ExportArchive(archive))
        } catch {
            // Without that header it holds something else than keys, unless it lies where keys belong.
            guard error == .wrongHeader, place?.hasKeys != true else { throw error }
            return try other(archive, at: place)
        }
    }

    private static func describe(_ export: ExportArchive) -> [Fact] {
        let header = export.header
        let (start, end) = (instant(header.startTimestamp), instant(header.endTimestamp))
        let levels = Dictionary(grouping: export.keys, by: \.transmissionRiskLevel.rawValue).map {
            ("\($0.key)", JSONValue.integer(Int64($0.value.count)))
        }
        return [
            Fact(
                name: "window", value: .object(["start": .text(start), "end": .text(end)]), words: "\(start) to \(end)"),
            Fact(name: "region", value: .text(header.region)),
            Fact(name: "keys", value: .integer(Int64(export.keys.count))),
            Fact(
                name: "levels", value: .object(Dictionary(levels) { first, _ in first }),
                words: levels.sorted { $0.0 < $1.0 }.map { "\($0): \(json($1, pretty: false))" }.joined(separator: ", ")
            ),
            Fact(
                name: "batch",
                value: .object([
                    "number": .integer(Int64(header.batch.number)), "size": .integer(Int64(header.batch.size)),
                ]), words: "\(header.batch.number) of \(header.batch.size)"),
        ].filter { $0.name != "levels" || !export.keys.isEmpty }
    }

    private static func other(_ archive: SignedArchive, at place: PublishedPath?) throws(ArchiveDamage) -> [Fact] {
        let size = Fact(name: "bytes", value: .integer(Int64(archive.export.count)))
        guard let place else {
            return [Fact(name: "content", value: .text("not keys; give --path to say what it should be")), size]
        }
        if place.hasReports { return try reports(archive) + [size] }
        guard let expected = staticContent(at: place.path) else {
            return [Fact(name: "content", value: .text("unknown for the path \(place.path)")), size]
        }
        let name = Fact(name: "content", value: .text(expected.name))
        do throws(InvalidMessage) {
            let content = try expected.json(encoded: archive.export)
            var findings: [String] = []
            do throws(InvalidMessage) { try expected.review(encoded: archive.export) } catch {
                findings = error.findings
            }
            return [
                name, size, Fact(name: "value", value: content, words: shortened(json(content, pretty: false))),
                Fact(
                    name: "rules", value: .array(findings.map(JSONValue.text)),
                    words: findings.isEmpty ? "The apps take it." : findings.joined(separator: " ")),
            ]
        } catch {
            throw .unreadableContent
        }
    }

    /// Lists of certificates have hundreds of thousands of characters.
    private static func shortened(_ text: String) -> String {
        text.utf8.count <= 2000 ? text : "\(text.prefix(2000)) … (--json has all of it)"
    }

    private static func reports(_ archive: SignedArchive) throws(ArchiveDamage) -> [Fact] {
        guard let package = ReportPackage(archive.export) else { throw .unreadableContent }
        let start = package.hour.start.formatted(.iso8601)
        return [
            Fact(name: "content", value: .text("check-in reports")), Fact(name: "hour", value: .text(start)),
            Fact(name: "region", value: .text(package.region)),
            Fact(name: "reports", value: .integer(Int64(package.reports.count))),
        ]
    }

    private static func venueReports(_ archive: SignedArchive) throws(ArchiveDamage) -> [Fact] {
        guard let package = VenueReportPackage(bundle: archive.export) else { throw .unreadableContent }
        let (start, end) = (package.firstHour, package.firstHour.advanced(by: VenueReportPackage.hours))
        let words = [start, end].map { $0.start.formatted(.iso8601) }
        return [
            Fact(name: "content", value: .text("venue reports")),
            Fact(
                name: "window", value: .object(["start": .text(words[0]), "end": .text(words[1])]),
                words: "\(words[0]) to \(words[1])"),
            Fact(name: "reports", value: .integer(Int64(package.reports.count))),
            Fact(name: "bytes", value: .integer(Int64(archive.export.count))),
        ]
    }

    private static func signatures(of archive: SignedArchive, _ keys: [VerificationKey]?) -> [Fact] {
        archive.verify(keys ?? []).map { verdict in
            let identity = verdict.identity
            let signer = "\(identity.appBundleID), key \(identity.keyID) \(identity.keyVersion)"
            let outcome = keys == nil ? "Not checked; give --public-key." : verdict.description
            return Fact(
                name: "signature",
                value: .object([
                    "app": .text(identity.appBundleID), "key": .text(identity.keyID),
                    "version": .text(identity.keyVersion),
                    "matches": keys == nil ? .null : .bool(verdict.outcome == .matches),
                ]), words: "\(signer): \(outcome)")
        }
    }

    private static func instant(_ seconds: UInt64) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    }

    // MARK: Files

    /// No more than the reader would accept is read, whatever the file is.
    private static func bytes(of file: String) throws -> [UInt8] {
        do {
            return try RegularFile.read(file, limit: ArchiveLimits().archiveBytes)
        } catch {
            switch error {
            case .unreadable: throw CommandFailure("\(file) can't be read: check the name.")
            case .irregular: throw CommandFailure("\(file) can't be read: name a file.")
            case .tooLarge: throw CommandFailure("\(file) is larger than any archive: check the name.")
            }
        }
    }

    private static func key(in file: String) throws -> VerificationKey {
        guard let pem = try? String(contentsOfFile: file, encoding: .utf8), let key = try? VerificationKey(pem: pem)
        else {
            throw CommandFailure("\(file) is not a P-256 public key in PEM: check --public-key.")
        }
        return key
    }
}
