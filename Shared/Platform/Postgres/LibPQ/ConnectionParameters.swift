import CLibPQ
import Glibc

/// libpq's parameters for a connection: the operator's string, and what this client adds before and after it
/// (<https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS>).
struct ConnectionParameters {
    private let parameters: [(keyword: String, value: String)]

    /// Throws if libpq can't parse the operator's string. The error doesn't say why, since the string may hold a password.
    init(_ configuration: PostgresConfiguration) throws(PostgresError) {
        // Before `dbname`, so that the operator's string can override them: how soon the client notices that the server is
        // gone.
        let defaults = [
            ("keepalives_idle", "30"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "10000"),
        ]
        // The same for the server, which would otherwise keep the locks of a client that is gone for two hours.
        var options = [
            "-c tcp_keepalives_idle=30", "-c tcp_keepalives_interval=5", "-c tcp_keepalives_count=3",
            "-c tcp_user_timeout=10000",
        ]
        // The operator's string may set server options, too; later ones win.
        if let given = try Self.value(of: "options", in: configuration.connection) { options.append(given) }
        options += [
            "-c statement_timeout=\(configuration.statementTimeout.milliseconds)",
            "-c idle_in_transaction_session_timeout=\(configuration.idleInTransactionTimeout.milliseconds)",
            "-c client_min_messages=warning", "-c standard_conforming_strings=on", "-c timezone=UTC",
        ]
        let fixed = [
            ("application_name", configuration.applicationName), ("client_encoding", "UTF8"),
            ("options", options.joined(separator: " ")),
        ]
        parameters = defaults + [("dbname", configuration.connection)] + fixed
    }

    /// Begins to connect, and returns the connection to be polled; nil if there is no memory for it.
    func start() -> OpaquePointer? {
        let strings = parameters.map { (strdup($0.keyword), strdup($0.value)) }
        defer {
            for (keyword, value) in strings {
                free(keyword)
                free(value)
            }
        }
        let keywords = strings.map { UnsafePointer($0.0) } + [nil]
        let values = strings.map { UnsafePointer($0.1) } + [nil]
        return PQconnectStartParams(keywords, values, 1)
    }

    private static func value(of keyword: String, in connection: String) throws(PostgresError) -> String? {
        guard connection.contains("=") || connection.contains("://") else { return nil }
        guard let options = PQconninfoParse(connection, nil) else {
            throw PostgresError(.connection, reason: "the connection string is malformed")
        }
        defer { PQconninfoFree(options) }
        var option = options
        while let name = option.pointee.keyword {
            if String(cString: name) == keyword { return option.pointee.val.map { String(cString: $0) } }
            option += 1
        }
        return nil
    }
}
