import ExposureFormat
import PKCS11
import Running

/// One key of the setting `signing.keys`: `ID/VERSION=WHERE`.
struct SigningKeyEntry: Sendable {
    let name: Name
    let place: Place

    /// The identity by which phones choose the public key.
    struct Name: Hashable, Sendable, CustomStringConvertible {
        let id: String
        let version: String

        var description: String { "\(id)/\(version)" }
    }

    /// Where the private key is stored.
    enum Place: Equatable, Sendable {
        /// A file, in PEM.
        case file(String)
        case token(PKCS11URI)
    }

    /// Phones read this many signatures:
    /// https://github.com/google/exposure-notifications-server/blob/main/internal/pb/export/export.proto
    private static let most = 10

    /// The keys of `signing.keys`, the newest first; at least one.
    static func list(_ settings: Settings) throws(ConfigurationProblem) -> [SigningKeyEntry] {
        let texts = settings.list("signing.keys")
        guard !texts.isEmpty else { throw settings.missing("signing.keys") }
        guard texts.count <= most else {
            throw settings.wrong("signing.keys", "has \(texts.count) keys, but phones look at \(most) at most")
        }
        var entries: [SigningKeyEntry] = []
        for (position, text) in texts.enumerated() {
            let entry = try SigningKeyEntry(text, number: position + 1, settings)
            guard !entries.contains(where: { $0.name == entry.name }) else {
                throw settings.wrong("signing.keys", "has \(entry.name) twice; each key needs a version of its own")
            }
            entries.append(entry)
        }
        return entries
    }

    private init(_ text: String, number: Int, _ settings: Settings) throws(ConfigurationProblem) {
        let halves = text.split(separator: "=", maxSplits: 1)
        let name = (halves.first ?? "").split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, name.count == 2, name.allSatisfy(Self.isWord) else {
            throw settings.wrong(
                "signing.keys",
                "must list keys as ID/VERSION=WHERE, such as 262/v1=/run/secrets/signing.pem, with letters, digits and "
                    + "underscores in ID and VERSION, and key \(number) is none")
        }
        self.name = Name(id: String(name[0]), version: String(name[1]))
        let place = String(halves[1])
        guard place.hasPrefix(PKCS11URI.scheme) else {
            self.place = .file(place)
            return
        }
        do {
            self.place = .token(try PKCS11URI(place))
        } catch {
            throw settings.wrong("signing.keys", "names a place for \(self.name) that \(error)")
        }
    }

    /// Whether the text is valid for Apple and Google, according to `verification_key_version` in the same file.
    private static func isWord(_ text: Substring) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }
}

extension SigningKeyEntry {
    /// Reads the key, or opens a session with its token. Blocks.
    func signer(appBundleID: String) throws(Flaw) -> any ArchiveSigner {
        let identity = SigningIdentity(appBundleID: appBundleID, keyID: name.id, keyVersion: name.version)
        switch place {
        case .token(let place):
            do {
                return try TokenSigner(place, identity: identity)
            } catch {
                throw .token(error)
            }
        case .file(let path):
            let bytes: [UInt8]
            do {
                bytes = try PrivateFile.read(path)
            } catch {
                throw .file(error)
            }
            do {
                return try SigningKey(pem: String(decoding: bytes, as: UTF8.self), identity: identity)
            } catch {
                throw .notAKey(path)
            }
        }
    }

    /// Why a key can't be used, as a sentence without a full stop.
    enum Flaw: Error, Equatable, CustomStringConvertible {
        case file(PrivateFileProblem)
        case notAKey(String)
        case token(PKCS11Problem)

        var description: String {
            switch self {
            case .file(let problem): problem.description
            case .notAKey(let path): "\(path) is not a P-256 private key in PEM: name the right file"
            case .token(.otherKind):
                "the key is not one for ECDSA on the curve P-256, which is all that phones know: make such a key"
            case .token(let problem): problem.description
            }
        }
    }
}
