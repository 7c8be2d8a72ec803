import ExposureFormat
import Foundation
import TLS
import Vigil

/// The files that `deploy/secrets.sh` makes for callers outside the suite.
struct CallersFolder {
    let path: String

    /// The private authority, which laboratories trust.
    var authority: String { "\(path)/ca.pem" }

    /// The key that apps verify packages with.
    func signingKey() throws -> VerificationKey {
        let file = "\(path)/export-signing-public.pem"
        do {
            return try VerificationKey(pem: try String(contentsOfFile: file, encoding: .utf8))
        } catch is UnusableKey {
            throw CommandFailure("\(file) holds no P-256 public key in PEM: copy it anew from state/config.")
        } catch {
            throw CommandFailure(
                "\(file) can't be read. bash deploy/secrets.sh makes it; --callers names another folder.")
        }
    }

    /// The certificate and key of a laboratory.
    func laboratory(_ name: String) -> TLSFiles {
        TLSFiles(certificate: "\(path)/\(name)/tls.pem", key: "\(path)/\(name)/tls.key", authorities: authority)
    }

    /// Calls `body` with the path of a file with whom apps and browsers may trust: the private authority, and those of this machine.
    func withPublicAuthorities<Result>(_ body: (_ file: String) async throws -> Result) async throws -> Result {
        guard let own = try? String(contentsOfFile: authority, encoding: .utf8) else {
            throw CommandFailure(
                "\(authority) can't be read. bash deploy/secrets.sh makes it; --callers names another folder.")
        }
        let others = try? String(contentsOfFile: "/etc/ssl/certs/ca-certificates.crt", encoding: .utf8)
        let file = FileManager.default.temporaryDirectory.appending(path: "vigil-smoke-\(UUID().uuidString).pem")
        defer { try? FileManager.default.removeItem(at: file) }
        do {
            try Data("\(own)\n\(others ?? "")".utf8).write(to: file)
        } catch {
            throw CommandFailure("\(file.path) can't be written: \(CommandFailure.systemReason).")
        }
        return try await body(file.path)
    }
}
