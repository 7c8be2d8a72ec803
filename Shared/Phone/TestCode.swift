package import Credentials
import FoundationEssentials
import StrictJSON

/// What an app reads out of a test's QR code: which kind of test it is, and what to register it with.
///
/// It accepts what both published apps accept: for PCR tests an address with the GUID (cwa-app-ios
/// `CoronaTestsQRCodeParser.swift`, cwa-app-android `PcrQrCodeExtractor.kt`), for the tests of test centres an address with a payload
/// that is bound to its id (cwa-app-android `RapidAntigenQrCodeExtractor.kt`). Of the payload nothing but the id is kept.
package struct TestCode: Hashable, Sendable, CustomStringConvertible {
    /// The kind of test.
    package let family: TestFamily
    /// SHA-256 of the GUID, or of a test centre's id: what the app registers.
    package let hashedGUID: HashedGUID

    /// A QR code has less room.
    private static let maximumLength = 4096
    /// What the codes of test centres begin with.
    private static let centres: [(prefix: String, family: TestFamily)] = [
        ("https://s.coronawarn.app?v=1#", .quick), ("https://s.coronawarn.app/?v=1#", .quick),
        ("https://p.coronawarn.app?v=1#", .pocnat), ("https://p.coronawarn.app/?v=1#", .pocnat),
    ]

    /// Nil for a code that belongs to no test, or is damaged.
    package init?(scanned text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        if let guid = Self.rest(of: text, after: TestGUID.qrCodePrefix).flatMap({ TestGUID($0) }) {
            family = .pcr
            hashedGUID = HashedGUID(hashing: guid.text)
            return
        }
        for centre in Self.centres {
            guard let payload = Self.rest(of: text, after: centre.prefix) else { continue }
            guard let id = CentrePayload(encoded: payload)?.id else { return nil }
            family = centre.family
            hashedGUID = HashedGUID(hashing: id)
            return
        }
        return nil
    }

    package var description: String { "redacted" }

    /// What follows a prefix in any case.
    private static func rest(of text: String, after prefix: String) -> Substring? {
        text.prefix(prefix.count).lowercased() == prefix ? text.dropFirst(prefix.count) : nil
    }
}

/// What a test centre's code says: JSON in Base64 or Base64url. Its hash is the test's id.
private struct CentrePayload: Decodable {
    let hash: String
    /// When the code was made, in seconds since 1970.
    let timestamp: Int64
    let salt: String
    let testid: String?
    // The person, unless the code is anonymous.
    let fn: String?
    let ln: String?
    let dob: String?

    init?(encoded: some StringProtocol) {
        // Base64url is without padding as a rule.
        let base64 = String(encoded).replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let json = Data(base64Encoded: base64 + padding),
            let payload = try? StrictJSON.decode(Self.self, from: json)
        else { return nil }
        self = payload
    }

    /// The hash, if it is that of the other fields.
    var id: String? {
        guard timestamp > 0, Digest(hex: hash) == Digest(sha256: (hashed ?? "").utf8), hashed != nil else { return nil }
        return hash
    }

    /// What the hash is made of; nil if the person is described in part.
    private var hashed: String? {
        let person = [dob, fn, ln].map { $0 ?? "" }
        if person.allSatisfy(\.isEmpty) { return "\(timestamp)#\(salt)" }
        guard !person.contains(where: \.isEmpty), person[0].wholeMatch(of: /\d{4}-\d{2}-\d{2}/) != nil, let testid
        else { return nil }
        return "\(person.joined(separator: "#"))#\(timestamp)#\(testid)#\(salt)"
    }
}
