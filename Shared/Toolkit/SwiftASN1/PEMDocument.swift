/// DER between two lines that name it (RFC 7468).
///
/// Lines may end with CR, LF or both, and other text may stand before, between and after documents, as tools write it.
/// Within a document nothing but Base64 does, nor an empty line.
package struct PEMDocument: Hashable, Sendable {
    /// What it is: `CERTIFICATE`, `PRIVATE KEY`.
    package let discriminator: String
    /// What stands in it, which is more than nothing.
    package let derBytes: [UInt8]

    private static let lineLength = 64

    /// A document that is to be written.
    package init(type: String, derBytes: [UInt8]) {
        discriminator = type
        self.derBytes = derBytes
    }

    /// Reads a text with exactly one document.
    /// - Throws: ``ASN1Error``.
    package init(pemString: String) throws {
        let documents = try Self.parseMultiple(pemString: pemString)
        guard let only = documents.first else { throw ASN1Error(.invalidPEM, "no document") }
        guard documents.count == 1 else { throw ASN1Error(.multipleDocuments, "PEM") }
        self = only
    }

    /// Reads a text with any number of documents.
    /// - Throws: ``ASN1Error``.
    package static func parseMultiple(pemString: String) throws -> [PEMDocument] {
        var documents: [PEMDocument] = []
        var open: (type: String, base64: [UInt8])?
        // To Swift CR and LF together are one character.
        let lines = pemString.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
        for line in lines {
            if let document = open {
                guard line.utf8.starts(with: "-----".utf8) else {
                    guard !line.isEmpty else { throw ASN1Error(.invalidPEM, "empty line") }
                    open?.base64 += line.utf8
                    continue
                }
                guard line.utf8.elementsEqual("-----END \(document.type)-----".utf8),
                    let bytes = Base64.bytes(document.base64[...]), !bytes.isEmpty
                else { throw ASN1Error(.invalidPEM, "document") }
                documents.append(PEMDocument(type: document.type, derBytes: bytes))
                open = nil
            } else if line.utf8.starts(with: "-----".utf8) {
                guard let type = type(line) else { throw ASN1Error(.invalidPEM, "first line") }
                open = (type, [])
            }
        }
        guard open == nil else { throw ASN1Error(.invalidPEM, "no last line") }
        return documents
    }

    /// The name in a first line: printable characters without hyphens and spaces at either end (RFC 7468, section 3).
    private static func type(_ line: Substring) -> String? {
        guard line.hasPrefix("-----BEGIN "), line.hasSuffix("-----") else { return nil }
        let type = line.dropFirst(11).dropLast(5)
        guard !type.isEmpty, type.first != " ", type.last != " ",
            type.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "-") })
        else { return nil }
        return String(type)
    }

    /// The text, in lines of 64 characters, without a line end after the last one.
    package var pemString: String {
        let text = Base64.text(derBytes)
        var lines = ["-----BEGIN \(discriminator)-----"]
        for start in stride(from: 0, to: text.count, by: Self.lineLength) {
            lines.append(String(decoding: text[start..<min(start + Self.lineLength, text.count)], as: UTF8.self))
        }
        lines.append("-----END \(discriminator)-----")
        return lines.joined(separator: "\n")
    }
}

/// Base64 with padding (RFC 4648, section 4), in one form for each value.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    static func text(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : padding)
            }
        }
        return text
    }

    /// Nil unless ``text(_:)`` gives the same.
    static func bytes(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        let paddings = text.suffix(2).reversed().prefix { $0 == padding }.count
        var (bytes, bits, count): ([UInt8], Int, Int) = ([], 0, 0)
        bytes.reserveCapacity(text.count / 4 * 3)
        for character in text.dropLast(paddings) {
            guard let value = value(character) else { return nil }
            bits = bits << 6 & 0xFFFF | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        // What doesn't make a byte is zero.
        return bits & (1 << count - 1) == 0 ? bytes : nil
    }

    private static func value(_ character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
