/// The error of a connection that could not be established.
///
/// libpq's message names hosts, users and files of the operator's configuration, and quotes the server. Only known parts of it
/// are reported, in fixed words. With `PQERRORS_SQLSTATE` the server's part is its severity and SQLSTATE.
struct ConnectFailure {
    let error: PostgresError

    init(message: String) {
        let sqlState = Self.sqlState(in: message)
        // The server's own message isn't used, only its code.
        let reason =
            sqlState == .tooManyConnections
            ? "the role's limit of connections, or the server's, is reached" : Self.reason(in: message)
        error = PostgresError(.connection, sqlState: sqlState, reason: reason)
    }

    private static func reason(in message: String) -> String {
        let known = [
            ("Connection refused", "connection refused"),
            ("No such file or directory", "no socket or file of that name"),
            ("Permission denied", "permission denied"),
            ("could not translate host name", "unknown host"),
            ("No route to host", "no route to host"),
            ("Network is unreachable", "network unreachable"),
            ("timeout", "timed out"),
            ("does not support SSL", "the server has no TLS"),
            ("certificate", "TLS certificate refused"),
            ("no password supplied", "no password in the configuration"),
            ("server closed the connection", "the server closed the connection"),
        ]
        return known.first { message.contains($0.0) }?.1 ?? "could not connect"
    }

    private static func sqlState(in message: String) -> SQLState? {
        for line in message.split(separator: "\n") where line.contains("FATAL:") || line.contains("ERROR:") {
            let state = line.suffix(5)
            if state.utf8.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) }) {
                return SQLState(rawValue: String(state))
            }
        }
        return nil
    }
}
