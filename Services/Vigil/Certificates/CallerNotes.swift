import Catalogue
import Credentials
import HTTPContract

/// What a caller outside is told beside its certificate: where to call, and a call that works in the folder that it is given.
///
/// `deploy/laboratories.md` has the same call for laboratories.
package struct CallerNotes: Sendable {
    /// The text of `README.txt`, for a folder with `tls.pem`, `tls.key` and `ca.pem`.
    package let text: String

    /// - Parameters:
    ///   - names: the names of services.
    ///   - hasKey: false if the caller has the private key itself.
    /// - Returns: nil for a holder that isn't a caller outside with calls of its own.
    init?(_ holder: SuiteCertificates.Holder, names: [OutsideName], hasKey: Bool) {
        guard let role = holder.role, let sample = Sample(role), let door = Door(role) else { return nil }
        let name = names.first { $0.service == door.service }
        let host = name.map { $0.isAddress && $0.host.contains(":") ? "[\($0.host)]" : $0.host } ?? "localhost"
        let address = "https://\(host):\(door.port)"
        let key =
            hasKey
            ? "its private key. Keep it where only your software can read it"
            : "isn't here: the key by which you made the request. Put it here, or name it in the call below"
        let trial =
            name == nil
            ? "\nlocalhost is for trials on the server's own machine: no name for callers outside is set (VIGIL_NAMES).\n"
            : ""
        text = """
            Your access to Vigil: \(address)
            \(trial)
            tls.pem  your certificate, with the role \(role.rawValue) and the name \(holder.commonName)
            tls.key  \(key)
            ca.pem   the authority of the server's certificate. Trust this one, and no other, at this address

            The certificate is valid for a year. Ask for the next one a month before it ends; both work meanwhile. If your key
            may be in the wrong hands, call the operator at once.

            To try it, run this in this folder, with bash:

            \(sample.preparation.map { "\($0)\n" }.joined())\
            curl --cacert ca.pem --cert tls.pem --key tls.key \(sample.options) \\
              -H 'Content-Type: application/json' \(address)\(door.path) \\
              --data \(sample.body)

            It prints \(sample.status): \(sample.meaning).

            """
    }

    /// The listener that a role calls.
    private struct Door {
        let service: String
        let port: Int
        let path: String

        init?(_ role: Role) {
            for service in Catalogue.services {
                for listener in service.listeners {
                    guard let route = listener.routes.first(where: { $0.callers.contains(role) }) else { continue }
                    (self.service, port, path) = (service.name, listener.port.number, route.path)
                    return
                }
            }
            return nil
        }
    }

    /// A call that changes nothing for anybody.
    private struct Sample {
        /// Lines before the call.
        var preparation: [String] = []
        /// For calls that are refused because of what only the caller has: the status says enough.
        var options = #"--silent --show-error --output /dev/null --write-out '%{http_code}\n'"#
        let body: String
        let status: Int
        let meaning: String

        init?(_ role: Role) {
            switch role {
            case .lab: self.init(posting: .pcrNegative)
            case .quickTest: self.init(posting: .quickNegative)
            case .pocnat: self.init(posting: .pocnatNegative)
            case .surveyServer, .logServer:
                self.init(
                    body: #""{\"otp\":\"$(cat /proc/sys/kernel/random/uuid)\"}""#, status: 404,
                    meaning: "the certificate is accepted, and nobody has this password")
            case .certificateServer:
                self.init(
                    body: #""{\"registrationToken\":\"$(cat /proc/sys/kernel/random/uuid)\"}""#, status: 404,
                    meaning: "the certificate is accepted, and no phone has this token")
            case .contactTracing:
                self.init(
                    body: "'[]'", status: 401,
                    meaning: "the certificate is accepted, and an access token of the identity provider is missing")
            case .portal:
                self.init(
                    body: "''", status: 401,
                    meaning: "the certificate is accepted, and \"none\" is no health officer's token")
                options += " -H 'Authorization: Bearer none'"
            default: return nil
            }
        }

        private init(body: String, status: Int, meaning: String) {
            (self.body, self.status, self.meaning) = (body, status, meaning)
        }

        /// A result of a test that nobody has.
        private init(posting code: TestResultCode) {
            preparation = [
                "guid=123ABC-$(tr a-f A-F </proc/sys/kernel/random/uuid)",
                #"id=$(printf %s "$guid" | sha256sum | cut -c 1-64)"#,
            ]
            options = #"--fail-with-body --show-error --write-out '%{http_code}\n'"#
            body =
                #""{\"testResults\":[{\"id\":\"$id\",\"result\":\#(code.rawValue),\"sc\":$(date +%s)}],\"labId\":\"example\"}""#
            status = 204
            meaning = "a negative result is stored, for a test that nobody has"
        }
    }
}
