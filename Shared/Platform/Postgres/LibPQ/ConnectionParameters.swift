import CLibPQ
import Glibc

/// libpq's parameters for a connection: the operator's string, and what this client adds before and after it
/// (<https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS>).
struct ConnectionParameters {
    private let parameters: [(keyword: String, value: String)]

    /// The parameters for each server that the operator's string names, in its order.
    ///
    /// libpq tries several hosts itself, but doesn't limit the time for each unless it blocks
    /// (<https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-CONNECT-TIMEOUT>): it would wait for the first one,
    /// if that doesn't answer, as long as for all.
    ///
    /// Throws if libpq can't parse the string. The error doesn't say why, since the string may hold a password.
    static func all(_ configuration: PostgresConfiguration) throws(PostgresError) -> [ConnectionParameters] {
        let given = try values(of: ["host", "hostaddr", "port"], in: configuration.connection)
        let lists = given.mapValues { $0.split(separator: ",", omittingEmptySubsequences: false).map { String($0) } }
        let count = max(lists["host"]?.count ?? 1, lists["hostaddr"]?.count ?? 1)
        guard count > 1 else { return [try ConnectionParameters(configuration, server: [])] }
        var all: [ConnectionParameters] = []
        for index in 0..<count {
            // One port is for all hosts. With another number of ports or addresses than of hosts, libpq refuses the string.
            let server = lists.compactMap { keyword, list in
                list.count == 1 ? (keyword, list[0]) : list.indices.contains(index) ? (keyword, list[index]) : nil
            }
            all.append(try ConnectionParameters(configuration, server: server))
        }
        return all
    }

    /// - Parameter server: replaces what the operator's string says of where the server is.
    private init(_ configuration: PostgresConfiguration, server: [(String, String)]) throws(PostgresError) {
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
        let given = try Self.values(of: ["options"], in: configuration.connection)
        options += given.values
        options += [
            "-c statement_timeout=\(configuration.statementTimeout.milliseconds)",
            "-c idle_in_transaction_session_timeout=\(configuration.idleInTransactionTimeout.milliseconds)",
            "-c client_min_messages=warning", "-c standard_conforming_strings=on", "-c timezone=UTC",
        ]
        let fixed = [
            ("application_name", configuration.applicationName), ("client_encoding", "UTF8"),
            ("options", options.joined(separator: " ")),
        ]
        parameters = defaults + [("dbname", configuration.connection)] + server + fixed
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

    /// What a connection string says of some keywords; those that it doesn't name are missing.
    private static func values(
        of keywords: Set<String>, in connection: String
    ) throws(PostgresError) -> [String: String] {
        guard connection.contains("=") || connection.contains("://") else { return [:] }
        guard let options = PQconninfoParse(connection, nil) else {
            throw PostgresError(.connection, reason: "the connection string is malformed")
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let name = option.pointee.keyword {
            let keyword = String(cString: name)
            if keywords.contains(keyword), let value = option.pointee.val { values[keyword] = String(cString: value) }
            option += 1
        }
        return values
    }
}
