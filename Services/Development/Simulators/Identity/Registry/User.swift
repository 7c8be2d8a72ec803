import DevelopmentIdentityAPI

/// A person who can sign in.
package struct User: Codable, Sendable {
    /// The log-in name.
    package let name: String
    /// The password.
    package let password: String
    /// The secret of the authenticator app, in base 32 (RFC 4648, section 6).
    package let secret: String
    /// The identifier in tokens, which never changes.
    package let subject: String
    /// The name as the portal shows it.
    package let fullName: String
    /// The realm roles.
    package let roles: [String]

    /// Creates a user from its parts.
    package init(
        name: String, password: String, secret: String, subject: String, fullName: String, roles: [String]
    ) {
        self.name = name
        self.password = password
        self.secret = secret
        self.subject = subject
        self.fullName = fullName
        self.roles = roles
    }

    /// The secret's bytes; nil if it isn't base 32.
    var secretBytes: [UInt8]? {
        var bytes: [UInt8] = []
        var bits = 0
        var count = 0
        for character in secret.utf8 {
            let value: UInt8
            switch character {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - UInt8(ascii: "A")
            case UInt8(ascii: "2")...UInt8(ascii: "7"): value = character - UInt8(ascii: "2") + 26
            default: return nil
            }
            bits = (bits << 5 | Int(value)) & 0xFFF
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes.count >= 16 ? bytes : nil
    }
}

extension User {
    /// One user of each kind.
    package static let development: [User] = DevelopmentUser.allCases.map { user in
        User(
            name: user.rawValue, password: DevelopmentUser.password, secret: user.secret,
            subject: "00000000-0000-4000-8000-\(user.subjectDigits)", fullName: user.fullName, roles: user.roles)
    }
}

extension DevelopmentUser {
    fileprivate var subjectDigits: String {
        let number = Self.allCases.firstIndex(of: self) ?? 0
        return "00000000000\(number + 1)"
    }

    fileprivate var roles: [String] {
        switch self {
        case .officer, .hostile, .endless: ["c19hotline"]
        case .eventOfficer: ["c19hotline", "c19hotline_event"]
        case .analyst: ["vigil_statistics"]
        case .operator: ["vigil_operator"]
        case .tracer: ["vigil_venue_author", "vigil_venue_approver"]
        case .approver: ["vigil_venue_approver"]
        case .visitor: []
        }
    }

    fileprivate var fullName: String {
        switch self {
        case .officer: "Ada Amt"
        case .eventOfficer: "Emil Ereignis"
        case .analyst: "Zoë Zahl"
        case .operator: "Otto Ortlieb"
        case .tracer: "Tilda Thoma"
        case .approver: "Frida Frei"
        case .visitor: "Vera Gast"
        // Marks that combine with quotes and brackets, a joiner, and characters that turn the direction of text.
        case .hostile:
            "O'Neil\u{301} \"Bob\"\u{301} onmouseover=\"alert(1)\" <\u{200D}script>alert(1)</script> \u{202E}txet\u{2066}&amp;"
        case .endless: String(repeating: "Endless ", count: 1280)
        }
    }
}
