import Crypto
import FoundationEssentials
import Running

/// The credentials for an S3 store. They print as "redacted".
struct S3Credentials: Sendable, CustomStringConvertible, CustomReflectable {
    /// Sent with every request; not a secret.
    let accessKeyID: String
    /// The secret that every signing key is derived from.
    let signingSecret: SymmetricKey
    /// Sent with every request if the credentials are temporary.
    let sessionToken: String?

    init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        signingSecret = SymmetricKey(data: Data("AWS4\(secretAccessKey)".utf8))
        self.sessionToken = sessionToken
    }

    var description: String { "redacted" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension S3Credentials {
    /// From `s3.accessKeyID`, `s3.secretAccessKey` and `s3.sessionToken`, of which the latter two name files.
    init(_ settings: Settings) throws(ConfigurationProblem) {
        let accessKeyID = try settings.string("s3.accessKeyID")
        guard accessKeyID.utf8.count <= 128, Self.isVisible(accessKeyID), !accessKeyID.contains(where: "/,=".contains)
        else { throw settings.wrong("s3.accessKeyID", "must be the ID of an access key, not the key itself") }
        self.init(
            accessKeyID: accessKeyID, secretAccessKey: try Self.line("s3.secretAccessKey", limit: 1024, of: settings),
            sessionToken: settings.optionalString("s3.sessionToken") == nil
                ? nil : try Self.line("s3.sessionToken", limit: 8192, of: settings))
    }

    /// The one line of the file that a key names.
    private static func line(_ key: String, limit: Int, of settings: Settings) throws(ConfigurationProblem) -> String {
        let path = try settings.path(key)
        guard let data = try? Data(contentsOf: URL(filePath: path)), var line = String(validating: data, as: UTF8.self),
            data.count <= limit
        else { throw settings.wrong(key, "names \(path), which can't be read or holds something else") }
        while line.last?.isNewline == true { line.removeLast() }
        guard isVisible(line) else {
            throw settings.wrong(key, "names \(path), which must hold one line without blanks and nothing else")
        }
        return line
    }

    private static func isVisible(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
