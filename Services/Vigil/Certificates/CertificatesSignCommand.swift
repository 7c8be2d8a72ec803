import ArgumentParser
import FoundationEssentials
import Running
import X509

/// `vigil certificates sign`.
struct CertificatesSignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Make a certificate for a key that its holder keeps.",
        discussion:
            """
            The request (PKCS #10, in PEM or DER) proves that its sender has the key: on P-256, on P-384, or of RSA with 2048 to 8192 \
            bits. Nothing else of it counts: role, name and validity are those that you give here.

            The certificate is NAME.pem, without NAME.key. It isn't renewed by itself: ask its holder for another request, with a new \
            key if the old one may be in the wrong hands, and sign that one under the same role and name. Until it expires, the old \
            certificate is valid, too.
            """)

    @Option(help: ArgumentHelp("The request.", valueName: "file"))
    var csr: String

    @Argument(help: "\(SuiteCertificates.partnerRoleNames).")
    var role: String

    @Argument(help: "The holder's name: lower-case letters, digits and hyphens.")
    var name: String

    @OptionGroup var state: StateOption

    func run() async throws {
        let holder = try SuiteCertificates.Holder(role: role, partner: name)
        let key = try Self.key(of: csr)
        let end = try SuiteCertificates(in: state.folder, now: Date()).sign(key, for: holder)
        Console.say(
            "made   \(state.folder.certificate(holder.name)), valid until \(end.formatted(.iso8601.year().month().day()))"
        )
    }

    /// The key that a request is for.
    private static func key(of file: String) throws -> Certificate.PublicKey {
        let bytes: [UInt8]
        do {
            bytes = try RegularFile.read(file, limit: CertificateRequest.longest)
        } catch .tooLarge {
            throw failure(file, .tooLong)
        } catch {
            throw CommandFailure("\(file) can't be read: name the file with the request.")
        }
        do {
            return try CertificateRequest(bytes).publicKey
        } catch {
            throw failure(file, error)
        }
    }

    private static func failure(_ file: String, _ problem: CertificateRequest.Problem) -> CommandFailure {
        let sentence =
            switch problem {
            case .tooLong:
                "\(file) has more than \(CertificateRequest.longest) bytes, so it isn't a request for a certificate."
            case .malformed:
                "\(file) isn't a request for a certificate (PKCS #10 in PEM or DER): ask for what `openssl req -new` writes."
            case .unsupportedKey:
                "The key of \(file) isn't on P-256 or P-384, or of RSA with 2048 to 8192 bits: ask for a request with another "
                    + "key."
            case .wrongSignature:
                "\(file) isn't signed with its own key by ECDSA or RSA (PKCS #1) with SHA-256, SHA-384 or SHA-512: ask for "
                    + "the request again, as it was made."
            }
        return CommandFailure(sentence)
    }
}
