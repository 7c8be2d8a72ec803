import Crypto
import FoundationEssentials
import HTTPContract
import Loop
import Running
import SwiftASN1
import Synchronization
import Testing
import X509

@testable import TLS

/// What may stand in TLS files, and what a change of them does.
@Suite struct MaterialTests {
    private let authority: Authority
    private let identity: CertificateAuthority.Identity

    init() throws {
        authority = try Authority()
        identity = try authority.issue()
    }

    private func contents(
        certificate: String? = nil, key: String? = nil, authorities: String? = nil, denied: String? = nil
    ) -> TLSContents {
        TLSContents(
            certificate: Array((certificate ?? identity.certificatePEM).utf8),
            key: Array((key ?? identity.privateKeyPEM).utf8),
            authorities: Array((authorities ?? authority.pem).utf8), denied: denied.map { Array($0.utf8) })
    }

    /// What is wrong with files, or with what a server would make of them; nil if nothing is.
    private func flaw(_ contents: TLSContents) -> TLSFlaw? {
        do throws(TLSFlaw) {
            _ = try TLSMaterial(contents).mutualServer()
            return nil
        } catch {
            return error
        }
    }

    private func pem(_ type: String, _ bytes: [UInt8]) -> String { PEMDocument(type: type, derBytes: bytes).pemString }

    @Test("files as tools write them are read: with other text, other documents, and any line end")
    func forms() throws {
        let certificate = identity.certificatePEM
        #expect(flaw(contents()) == nil)
        #expect(flaw(contents(certificate: "subject=CN = somebody\n" + certificate + "\n\n")) == nil)
        #expect(flaw(contents(certificate: certificate.replacing("\n", with: "\r\n"))) == nil)
        #expect(flaw(contents(certificate: certificate + identity.privateKeyPEM)) == nil)
        #expect(flaw(contents(key: certificate + identity.privateKeyPEM)) == nil)
        #expect(flaw(contents(certificate: certificate + authority.pem)) == nil)
        let other = try Authority("Other")
        #expect(flaw(contents(authorities: authority.pem + other.pem)) == nil)
    }

    @Test("keys are read in PKCS #8 and in their own forms")
    func keys() throws {
        let key = try P256.Signing.PrivateKey(pemRepresentation: identity.privateKeyPEM)
        let fields = ECPrivateKeyFields(
            privateKey: key.rawRepresentation, curve: .NamedCurves.secp256r1,
            publicKey: key.publicKey.x963Representation)
        var serializer = DER.Serializer()
        fields.serialize(into: &serializer, withIdentifier: .sequence)
        #expect(flaw(contents(key: pem("EC PRIVATE KEY", serializer.serializedBytes))) == nil)
    }

    @Test(
        "what isn't in order is named",
        arguments: [
            ("no certificate", TLSFlaw.certificate), ("half a certificate", .certificate),
            ("a chain that is cut", .certificate), ("bytes after a certificate", .certificate),
            ("a certificate in another encoding", .certificate), ("a bad letter", .certificate),
            ("no key", .key), ("a key with a passphrase", .key), ("half a key", .key), ("bytes after a key", .key),
            ("another key", .pair), ("no authority", .authorities), ("half an authority", .authorities),
            ("a list without lines", .denied), ("a list with another line", .denied),
        ])
    func flaws(what: String, flaw expected: TLSFlaw) throws {
        let certificate = try PEMDocument(pemString: identity.certificatePEM).derBytes
        let key = try PEMDocument(pemString: identity.privateKeyPEM)
        func half(_ text: String) -> String { String(text.prefix(text.count / 2)) }
        let spoiled =
            switch what {
            case "no certificate": contents(certificate: "")
            case "half a certificate": contents(certificate: half(identity.certificatePEM))
            case "a chain that is cut":
                contents(certificate: String((identity.certificatePEM + authority.pem).dropLast(40)))
            case "bytes after a certificate": contents(certificate: pem("CERTIFICATE", certificate + [0]))
            case "a certificate in another encoding":
                // The same length, written longer than DER allows.
                contents(certificate: pem("CERTIFICATE", [0x30, 0x83, 0x00] + certificate[2...]))
            case "a bad letter": contents(certificate: identity.certificatePEM.replacing("MII", with: "MI*"))
            case "no key": contents(key: "secret")
            case "a key with a passphrase": contents(key: pem("ENCRYPTED PRIVATE KEY", key.derBytes))
            case "half a key": contents(key: half(identity.privateKeyPEM))
            case "bytes after a key": contents(key: pem("PRIVATE KEY", key.derBytes + [0]))
            case "another key": contents(key: try authority.issue().privateKeyPEM)
            case "no authority": contents(authorities: "")
            case "half an authority": contents(authorities: half(authority.pem))
            case "a list without lines": contents(denied: "")
            default: contents(denied: "somebody\n")
            }
        #expect(flaw(spoiled) == expected)
    }

    @Test("a server's own files need no authorities; calling our own services does")
    func withoutAuthorities() throws {
        let material = try TLSMaterial(
            TLSContents(
                certificate: Array(identity.certificatePEM.utf8), key: Array(identity.privateKeyPEM.utf8),
                authorities: nil, denied: nil))
        _ = try material.publicServer(protocols: [])
        _ = try material.outsideClient()
        #expect(throws: TLSFlaw.authorities) { try material.mutualServer() }
        #expect(throws: TLSFlaw.authorities) { try material.client() }
    }

    @Test("a certificate's end is read in seconds")
    func expiry() throws {
        let material = try TLSMaterial(contents())
        #expect(Double(material.expiry) == Authority.validity.upperBound.timeIntervalSince1970.rounded(.down))
    }

    @Test("a listed certificate is denied, by its fingerprint, and an unknown one is")
    func denied() throws {
        let own = Array(SHA256.hash(data: try PEMDocument(pemString: identity.certificatePEM).derBytes))
        let digits = own.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        let list = "# x\n" + digits.joined(separator: ":") + "\n"
        let server = try TLSMaterial(contents(denied: list)).mutualServer()
        #expect(server.denies(own))
        #expect(!server.denies([UInt8](repeating: 0, count: 32)))
        #expect(server.denies(nil))
        #expect(try !TLSMaterial(contents()).mutualServer().denies(own))
    }

    // MARK: Changes

    /// TLS files in a folder of their own.
    private final class Folder: Sendable {
        let files: TLSFiles
        private let path: String

        init() throws {
            path = FileManager.default.temporaryDirectory.appending(path: "vigil-\(UUID().uuidString)").path()
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            files = TLSFiles(
                certificate: path + "/own.pem", key: path + "/own.key", authorities: path + "/trusted.pem")
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func write(_ contents: TLSContents) throws {
            try Data(contents.certificate).write(to: URL(filePath: files.certificate))
            try Data(contents.key).write(to: URL(filePath: files.key))
            try Data(contents.authorities ?? []).write(to: URL(filePath: path + "/trusted.pem"))
        }
    }

    private static func name(_ check: TLSCheck) -> String {
        switch check {
        case .unchanged: "unchanged"
        case .taken: "taken"
        case .refused(let flaw, let isNew): "\(flaw) \(isNew ? "new" : "again")"
        }
    }

    @Test("new files are used when they are in order; otherwise the old ones stay, and it is said once")
    func reload() async throws {
        let folder = try Folder()
        try folder.write(contents())
        let made = Counter()
        let tls = try ReloadedTLS(folder.files, label: ("listener", "app")) { material in
            made.increment()
            return try material.mutualServer()
        }
        let now = Date()
        let first = tls.current.context
        #expect(await Self.name(tls.check(at: now)) == "unchanged")
        #expect(made.count == 1)

        let next = try authority.issue("next")
        try folder.write(contents(certificate: next.certificatePEM))
        #expect(await Self.name(tls.check(at: now)) == "pair new")
        #expect(await Self.name(tls.check(at: now)) == "pair again")
        #expect(tls.current.context === first)

        try folder.write(contents(certificate: "", key: next.privateKeyPEM))
        #expect(await Self.name(tls.check(at: now)) == "certificate new")
        try folder.write(contents(authorities: "x"))
        #expect(await Self.name(tls.check(at: now)) == "authorities new")
        let late = try authority.issue(isExpired: true)
        try folder.write(contents(certificate: late.certificatePEM, key: late.privateKeyPEM))
        #expect(await Self.name(tls.check(at: now)) == "expired new")
        #expect(tls.current.context === first)

        try folder.write(contents(certificate: next.certificatePEM, key: next.privateKeyPEM))
        #expect(await Self.name(tls.check(at: now)) == "taken")
        #expect(tls.current.context !== first)
        #expect(await Self.name(tls.check(at: now)) == "unchanged")
    }

    @Test("connections from before a change go on, and new ones use the new certificate")
    func reloadOfConnections() async throws {
        let folder = try Folder()
        try folder.write(contents())
        let tls = try ReloadedTLS(folder.files, label: ("listener", "app")) { try $0.mutualServer() }
        let other = try Authority("Other")
        let open = Stage(try authority.material().client(), tls.current.context)
        #expect(open.opens())
        let next = try other.issue()
        try folder.write(other.contents(next, trusting: [authority]))
        #expect(await Self.name(tls.check(at: Date())) == "taken")
        #expect(Stage(try authority.material().client(), tls.current.context).fails())
        #expect(Stage(try authority.material(trusting: [other]).client(), tls.current.context).opens())
        open.client.write([1])
        #expect(open.turns { open.serverHandler.received == [1] })
    }

    @Test("a program that starts with bad files says what is wrong, with paths and without contents")
    func problems() throws {
        let folder = try Folder()
        func problem() -> String {
            do throws(ConfigurationProblem) {
                _ = try folder.files.client()
                return ""
            } catch {
                return error.description
            }
        }
        #expect(
            problem() == "\(folder.files.certificate) holds no PEM certificate; create it with `vigil certificates`.")
        try folder.write(contents(key: "secret"))
        #expect(problem() == "\(folder.files.key) holds no PEM private key; create it with `vigil certificates`.")
        try folder.write(contents(key: authority.issue().privateKeyPEM))
        #expect(problem() == "\(folder.files.certificate) and \(folder.files.key) don't belong together.")
        try folder.write(contents())
        #expect(problem() == "")
        let path = folder.files.authorities ?? ""
        _ = try TLSFiles.anonymousClient(trusting: path)
        #expect(throws: ConfigurationProblem.self) { try TLSFiles.anonymousClient(trusting: path + ".none") }
        _ = try TLSFiles.anonymousClient(protocols: ["h2"])
        _ = try folder.files.optionalServer(protocols: ["h2"])
    }
}

private final class Counter: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }
    func increment() { number.withLock { $0 += 1 } }
}
