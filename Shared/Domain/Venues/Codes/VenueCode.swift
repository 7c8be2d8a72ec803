import FoundationEssentials
import StrictJSON

/// A venue, as its QR code names it.
package enum Venue: Hashable, Sendable {
    /// With a secret of its own, for reports of 57 bytes.
    case seed(VenueSeed)
    /// Of Corona-Warn-App, for reports of 96 bytes.
    case traceLocation(TraceLocation)
    /// In a public register: it has no secret and so no reports, but tracers can name it.
    case numbered(GlobalLocationNumber)
}

/// A venue's QR code, read with strict limits. What it holds stays on the phone.
///
/// Three kinds of codes are known: Vigil's, Corona-Warn-App's and New Zealand's.
package struct VenueCode: Hashable, Sendable {
    /// Where the payload comes from.
    package enum Format: String, Codable, Hashable, Sendable, CaseIterable {
        /// `https://HOST/venue#v1.` and base64url of a byte 1, 32 bytes of seed, and a description of at most 100 bytes of UTF-8.
        case seed
        /// `https://e.coronawarn.app?v=1#` and base64url of the message `QRCodePayload` (cwa-server, `trace_location.proto`).
        case traceLocation
        /// `NZCOVIDTRACER:` and Base64 of JSON with a Global Location Number (New Zealand Ministry of Health, "COVID-19 Contact
        /// Tracing QR Code and NFC Tag Specification", HISO 10067:2021).
        case numbered
    }

    /// What the payload is.
    package let format: Format
    /// The bytes that were scanned. Secrets are derived from them as they are, never from a copy written anew.
    package let payload: [UInt8]
    /// The venue itself.
    package let venue: Venue
    /// What the venue calls itself: one line, at most 100 characters; empty if it says nothing.
    package let description: String
    /// Where the venue says it is: one line, at most 300 characters; empty if it says nothing.
    package let address: String
    /// How long visitors stay as a rule, in minutes, 1...1440; nil if the code doesn't say.
    package let usualMinutes: Int?

    /// The longest text that a QR code holds in bytes (ISO/IEC 18004, version 40, level L).
    package static let longestText = 2953
    private static let seedVersion: UInt8 = 1
    private static let seedSize = 32
    private static let descriptionSize = 100
    private static let longestAddress = 300

    /// Reads what a camera saw.
    /// - Parameters:
    ///   - text: nil results for any text but the three forms.
    ///   - host: of the health authority, whose venues' page makes the codes, such as `example.org`.
    package init?(scanned text: String, host: String) {
        guard text.utf8.count <= Self.longestText else { return nil }
        let prefixes: [(String, Format)] = [
            ("https://\(host)/venue#v1.", .seed),
            ("https://e.coronawarn.app?v=1#", .traceLocation), ("https://e.coronawarn.app/?v=1#", .traceLocation),
            ("NZCOVIDTRACER:", .numbered),
        ]
        // By bytes: to Swift's strings, other letters may equal these.
        guard let (prefix, format) = prefixes.first(where: { text.utf8.starts(with: $0.0.utf8) }),
            let payload = Base64Text.bytes(text.utf8.dropFirst(prefix.utf8.count), isForURLs: format != .numbered)
        else { return nil }
        self.init(payload, format)
    }

    /// Reads a payload, such as one that a diary kept.
    package init?(_ payload: [UInt8], _ format: Format) {
        guard payload.count <= Self.longestText else { return nil }
        self.format = format
        self.payload = payload
        switch format {
        case .seed:
            guard payload.first == Self.seedVersion, payload.count >= 1 + Self.seedSize,
                payload.count <= 1 + Self.seedSize + Self.descriptionSize,
                let seed = VenueSeed(payload[1..<(1 + Self.seedSize)]),
                let description = Self.line(payload[(1 + Self.seedSize)...])
            else { return nil }
            venue = .seed(seed)
            self.description = description
            address = ""
            usualMinutes = nil
        case .traceLocation:
            guard let location = Self.traceLocation(payload) else { return nil }
            venue = .traceLocation(TraceLocation(payload: payload))
            (description, address, usualMinutes) = location
        case .numbered:
            guard let place = try? StrictJSON.decode(NumberedPlace.self, from: Data(payload)),
                let number = GlobalLocationNumber(place.gln), let name = Self.line(Array(place.opn.utf8)[...]),
                let address = Self.line(Array(place.addressLine.utf8)[...], longest: Self.longestAddress)
            else { return nil }
            venue = .numbered(number)
            description = name
            self.address = address
            usualMinutes = nil
        }
    }

    /// The rules are those of cwa-app-android, `TraceLocationVerifier.kt`; besides, texts are shown as one line, so they are one.
    private static func traceLocation(_ payload: [UInt8]) -> (String, String, Int?)? {
        guard let code = ProtobufFields(payload[...]), let location = code.message(2), let notifier = code.message(3),
            let vendor = code.message(4), notifier.bytes(3).count == 16,
            let description = line(location.bytes(2)), !description.isEmpty,
            let address = line(location.bytes(3)), !address.isEmpty,
            location.number(5) <= location.number(6)
        else { return nil }
        let minutes = Int(exactly: vendor.number(3)).flatMap { (1...1440).contains($0) ? $0 : nil }
        return (description, address, minutes)
    }

    /// Text that can be shown in one line: nil if it isn't UTF-8, is too long, or holds a character that breaks a line, hides, or turns the
    /// direction of what follows, with which a code could look like another venue's.
    private static func line(_ bytes: ArraySlice<UInt8>, longest: Int = descriptionSize) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self), text.utf16.count <= longest,
            text.unicodeScalars.allSatisfy({ scalar in
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator, .privateUse: false
                // Joiners are part of words and of emoji.
                case .format: scalar.value == 0x200C || scalar.value == 0x200D
                default: true
                }
            })
        else { return nil }
        return text
    }

    /// What New Zealand's codes say of a place.
    private struct NumberedPlace: Decodable {
        let gln: String
        let opn: String
        let adr: String

        /// Addresses have several lines.
        var addressLine: String { adr.split(separator: "\n").joined(separator: ", ") }
    }
}

/// Base64 as QR codes have it.
private enum Base64Text {
    /// Nil for other letters, a wrong length, and letters whose last bits mean nothing. Padding may be left out.
    static func bytes(_ text: some Collection<UInt8>, isForURLs: Bool) -> [UInt8]? {
        var letters = Array(text)
        if isForURLs {
            guard !letters.contains(UInt8(ascii: "+")), !letters.contains(UInt8(ascii: "/")) else { return nil }
            letters = letters.map {
                switch $0 {
                case UInt8(ascii: "-"): UInt8(ascii: "+")
                case UInt8(ascii: "_"): UInt8(ascii: "/")
                default: $0
                }
            }
        }
        if letters.count % 4 != 0 {
            guard letters.last != UInt8(ascii: "=") else { return nil }
            letters += [UInt8](repeating: UInt8(ascii: "="), count: 4 - letters.count % 4)
        }
        guard let data = Data(base64Encoded: Data(letters)), data.base64EncodedData() == Data(letters) else {
            return nil
        }
        return Array(data)
    }
}
