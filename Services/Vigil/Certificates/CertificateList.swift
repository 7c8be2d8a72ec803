package import FoundationEssentials
import HTTPContract
import X509

/// Every certificate in a state folder, and those before them that its authority issued.
package struct CertificateList: Sendable {
    /// One certificate.
    package struct Entry: Hashable, Sendable, Encodable {
        /// Which of its holder's certificates it is.
        package enum Place: String, Sendable, Encodable {
            /// The newest one.
            case current
            /// A newer one was made, or the holder has gone. It is valid until it expires, unless it is denied.
            case former
        }

        /// The base name of the files.
        package let name: String
        /// Empty for a holder that calls nobody.
        package let role: String
        /// In hexadecimal digits; nil for a former one.
        package let serial: String?
        /// SHA-256 in hexadecimal digits, as people read it to each other, and as the list of denied ones takes it.
        package let fingerprint: String
        /// The day of the last second, in UTC: `2027-11-28`.
        package let expires: String
        /// Whole days left; negative afterwards.
        package let days: Int
        /// Which one it is.
        package let place: Place
        /// Whether its holder has the key, so that it is renewed by the holder's next request only.
        package let isByRequest: Bool

        private enum CodingKeys: String, CodingKey {
            case name, role, serial, fingerprint, expires, days, place
            case isByRequest = "byRequest"
        }
    }

    /// The next to expire first.
    package let entries: [Entry]

    /// Reads the folder.
    /// - Parameter days: only current ones that expire within this time, or have expired; nil for all.
    /// - Throws: ``CommandFailure``.
    package init(of folder: StateFolder, now: Date, expiringWithin days: Int? = nil) throws {
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder.certificates) else {
            throw CommandFailure("\(folder.certificates) can't be read: name the state folder with --state.")
        }
        let current = try files.filter { $0.hasSuffix(".pem") }.map {
            try Self.current(String($0.dropLast(4)), in: folder, now: now)
        }
        let known = Set(current.map(\.fingerprint))
        let former = try Self.issued(in: folder, now: now).filter { !known.contains($0.fingerprint) }
        entries = (days.map { days in current.filter { $0.days < days } } ?? current + former)
            .sorted { ($0.expires, $0.name) < ($1.expires, $1.name) }
    }

    private static func current(_ name: String, in folder: StateFolder, now: Date) throws -> Entry {
        let file = folder.certificate(name)
        guard let pem = try folder.read(file), let certificate = try? Certificate(pemEncoded: pem) else {
            throw CommandFailure("\(file) isn't a certificate: remove it, and `vigil certificates` makes another.")
        }
        let role = try? certificate.extensions.subjectAlternativeNames?.lazy.compactMap { name -> Role? in
            guard case .uniformResourceIdentifier(let uri) = name else { return nil }
            return Role(certificateURI: uri)
        }.first
        return Entry(
            name: name, role: role?.rawValue ?? "", serial: certificate.serialNumber.hexadecimal,
            fingerprint: SuiteCertificates.fingerprint(of: certificate),
            expires: certificate.notValidAfter.formatted(.iso8601.year().month().day()),
            days: Self.days(from: now, to: certificate.notValidAfter), place: .current,
            isByRequest: SuiteCertificates.isByRequest(name, in: folder))
    }

    /// What the list of issued ones says: `FINGERPRINT # NAME until DAY`.
    private static func issued(in folder: StateFolder, now: Date) throws -> [Entry] {
        try (folder.read(folder.issuedCertificates) ?? "").split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            guard words.count == 5, words[1] == "#", words[3] == "until",
                let end = try? Date(String(words[4]), strategy: .iso8601.year().month().day())
            else {
                throw CommandFailure(
                    "\(folder.issuedCertificates) has a line that `vigil certificates` didn't write: \(line)")
            }
            let name = String(words[2])
            return Entry(
                name: name, role: SuiteCertificates.Holder(named: name)?.role?.rawValue ?? "", serial: nil,
                fingerprint: String(words[0]), expires: String(words[4]), days: days(from: now, to: end),
                place: .former,
                isByRequest: false)
        }
    }

    private static func days(from now: Date, to end: Date) -> Int {
        Int((end.timeIntervalSince(now) / 86_400).rounded(.down))
    }

    // MARK: Printing

    /// One line for each.
    package var text: String {
        let (names, roles) = (entries.map(\.name.count).max() ?? 0, entries.map(\.role.count).max() ?? 0)
        let pad = { (text: String, width: Int) in text + String(repeating: " ", count: max(0, width - text.count)) }
        return entries.map { entry in
            let days = "\(entry.days)"
            let rest = String(repeating: " ", count: max(0, 5 - days.count)) + days
            return "\(entry.expires) \(rest) days  \(pad(entry.role, roles))  \(pad(entry.name, names))  "
                + "\(entry.fingerprint)  \(entry.place.rawValue)\(entry.isByRequest ? ", by request" : "")"
        }.joined(separator: "\n")
    }

    /// An array with an object for each.
    package var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(entries), as: UTF8.self)
        }
    }
}
