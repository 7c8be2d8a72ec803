/// A private key on a token, and the PKCS #11 module that reaches the token (RFC 7512).
///
/// `pkcs11:token=vigil;object=signing?module-path=/usr/lib/softhsm/libsofthsm2.so&pin-source=file:/run/secrets/pin`
package struct PKCS11URI: Equatable, Sendable {
    /// The token's label. Attributes are compared byte by byte; nil matches any value.
    private(set) var token: [UInt8]?
    private(set) var serial: [UInt8]?
    private(set) var manufacturer: [UInt8]?
    private(set) var model: [UInt8]?
    /// The key's label.
    private(set) var object: [UInt8]?
    /// The key's identifier.
    private(set) var id: [UInt8]?
    /// The module's file, an absolute path.
    let modulePath: String
    /// The file with the PIN, an absolute path; nil if the token asks for none.
    let pinFile: String?

    /// What a URI begins with.
    package static let scheme = "pkcs11:"

    /// Reads a URI.
    package init(_ text: String) throws(PKCS11URIFlaw) {
        guard text.hasPrefix(Self.scheme) else { throw .notAURI }
        let parts = text.dropFirst(Self.scheme.count).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var query = try Self.attributes(parts.count > 1 ? parts[1] : "", separator: "&")
        var path = try Self.attributes(parts[0], separator: ";")

        guard let module = query.removeValue(forKey: "module-path").map({ String(decoding: $0, as: UTF8.self) }),
            module.hasPrefix("/")
        else { throw .noModule }
        modulePath = module
        pinFile = try query.removeValue(forKey: "pin-source").map { source throws(PKCS11URIFlaw) in
            try Self.file(String(decoding: source, as: UTF8.self))
        }
        if query["pin-value"] != nil { throw .pinInURI }
        token = path.removeValue(forKey: "token")
        serial = path.removeValue(forKey: "serial")
        manufacturer = path.removeValue(forKey: "manufacturer")
        model = path.removeValue(forKey: "model")
        object = path.removeValue(forKey: "object")
        id = path.removeValue(forKey: "id")
        if let type = path.removeValue(forKey: "type"), type != Array("private".utf8) { throw .noKey }
        // RFC 7512, section 2.3, lets a consumer ignore unknown attributes of the query; here, one is treated as a typing
        // error.
        if let unknown = (path.keys.sorted() + query.keys.sorted()).first { throw .unknown(unknown) }
        guard token != nil || serial != nil else { throw .noToken }
        guard object != nil || id != nil else { throw .noKey }
    }

    private static func attributes(
        _ text: Substring, separator: Character
    ) throws(PKCS11URIFlaw) -> [String: [UInt8]] {
        var attributes: [String: [UInt8]] = [:]
        for part in text.split(separator: separator) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, let value = decoded(pair[1]), !value.isEmpty else { throw .notAURI }
            guard attributes.updateValue(value, forKey: String(pair[0])) == nil else {
                throw .twice(String(pair[0]))
            }
        }
        return attributes
    }

    /// Nil if a percent sign isn't followed by two hexadecimal digits.
    private static func decoded(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst(), let low = rest.popFirst(),
                let upper = Character(Unicode.Scalar(high)).hexDigitValue,
                let lower = Character(Unicode.Scalar(low)).hexDigitValue
            else { return nil }
            bytes.append(UInt8(upper << 4 | lower))
        }
        return bytes
    }

    /// `file:/path`, `file:///path` or `/path`. RFC 7512 also allows a program to run, which no service does.
    private static func file(_ source: String) throws(PKCS11URIFlaw) -> String {
        var path = Substring(source)
        if path.hasPrefix("file:") { path = path.dropFirst(5) }
        if path.hasPrefix("///") { path = path.dropFirst(2) }
        guard path.hasPrefix("/"), !path.hasPrefix("//") else { throw .pinSource }
        return String(path)
    }
}

/// What is wrong with a PKCS #11 URI, as words that follow the key's name. None repeats a value, which may be a PIN.
package enum PKCS11URIFlaw: Error, Equatable, CustomStringConvertible {
    /// It isn't one at all.
    case notAURI
    /// An attribute is there twice.
    case twice(String)
    /// An attribute that isn't known.
    case unknown(String)
    /// No file of a module.
    case noModule
    /// Nothing that names a token.
    case noToken
    /// Nothing that names a private key.
    case noKey
    /// The PIN itself.
    case pinInURI
    /// Another source of the PIN than a file.
    case pinSource

    package var description: String {
        switch self {
        case .notAURI: "is not a PKCS #11 URI (RFC 7512) such as pkcs11:token=T;object=K?module-path=/M"
        case .twice(let name): "has \(name) twice"
        case .unknown(let name):
            "has \(name), which is unknown; known are token, serial, manufacturer, model, object, id and type, "
                + "and after the question mark module-path and pin-source"
        case .noModule: "needs module-path, the absolute path of the token's PKCS #11 module"
        case .noToken: "needs token, the token's label, or serial"
        case .noKey: "needs object, the label of a private key, or id"
        case .pinInURI: "has pin-value, but a PIN belongs in a file that pin-source names"
        case .pinSource: "needs an absolute path for pin-source, such as file:/run/secrets/pin"
        }
    }
}
