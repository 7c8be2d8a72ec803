import CLibPQ
import Glibc

/// One connection to the server, used by one thread at a time: it is not Sendable, and its pool worker never lends it
/// beyond the call of a closure.
///
/// libpq is used in its non-blocking form, with `poll` between the calls, only so that a server which falls silent
/// can't hold the thread for ever. libpq sends with MSG_NOSIGNAL, so a broken connection raises no SIGPIPE.
final class Connection {
    /// The client's patience beyond the server's own `statement_timeout`.
    private static let grace: Duration = .seconds(5)

    private let handle: OpaquePointer
    private let notices: NoticeCounter
    private let statementTimeout: Duration
    private var statements: StatementCache
    /// Milliseconds without a byte from the server after which it counts as gone; -1 is no limit.
    private var patience: Int32
    /// The connection is in a state that can't be repaired, and must not be used again.
    private var isAbandoned = false

    /// Opens a connection, in `connectTimeout` at most (and the time that the system takes to resolve a host's name).
    init(_ configuration: PostgresConfiguration, statementCapacity: Int = 256) throws(PostgresError) {
        guard let handle = try ConnectionParameters(configuration).start() else {
            throw PostgresError(.connection, reason: "out of memory")
        }
        self.handle = handle
        notices = NoticeCounter()
        statements = StatementCache(capacity: statementCapacity)
        statementTimeout = configuration.statementTimeout
        patience = Self.patience(for: configuration.statementTimeout)
        // From here on `deinit` closes the connection. libpq's messages are reduced to SQLSTATEs at the source.
        PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
        try establish(within: configuration.connectTimeout)
        notices.receive(from: handle)
        PQsetnonblocking(handle, 1)
    }

    deinit {
        PQfinish(handle)
    }

    private static func patience(for statementTimeout: Duration) -> Int32 {
        statementTimeout > .zero ? (statementTimeout + grace).milliseconds : -1
    }

    private func establish(within timeout: Duration) throws(PostgresError) {
        let deadline = ContinuousClock.now + timeout
        var next = PGRES_POLLING_WRITING
        while next != PGRES_POLLING_OK {
            guard next != PGRES_POLLING_FAILED, PQstatus(handle) != CONNECTION_BAD else {
                throw ConnectFailure(message: String(cString: PQerrorMessage(handle))).error
            }
            let events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT
            guard wait(for: events, milliseconds: (deadline - .now).milliseconds) else {
                throw PostgresError(.connection, reason: "timed out while connecting")
            }
            next = PQconnectPoll(handle)
        }
    }

    // MARK: - State

    /// The connection can't be used any more.
    var isBroken: Bool { isAbandoned || PQstatus(handle) != CONNECTION_OK }

    /// The connection can serve the next caller: it works, and no transaction is open on it.
    var isReusable: Bool { !isBroken && PQtransactionStatus(handle) == PQTRANS_IDLE }

    /// Notices of the server since this was asked last. Their text, which can hold data, was dropped.
    func takeNoticeCount() -> Int { notices.take() }

    /// Whether the server has left an unused connection alone.
    ///
    /// It has nothing to say unasked. Whatever can be read, an end of file, the error with which it ended the
    /// connection, a changed setting: replacing the connection costs little and is always right. As no statement was
    /// sent yet, nothing can have been executed.
    var isQuiet: Bool {
        !isBroken && !wait(for: POLLIN, milliseconds: 0)
    }

    /// Asks the server for a sign of life, for a connection that was unused so long that a firewall on the way may
    /// have forgotten it.
    func ping(within limit: Duration) -> Bool {
        let usual = patience
        patience = limit.milliseconds
        defer { patience = usual }
        return (try? command("SELECT 1")) != nil
    }

    // MARK: - Statements

    /// Executes one statement, prepared on its first use here.
    func execute(_ sql: SQL) throws(PostgresError) -> QueryResult {
        let key = StatementCache.Key(text: sql.text, types: sql.types)
        guard let name = statements.name(for: key) else {
            return try executePrepared(prepare(sql, key), sql)
        }
        do {
            return try executePrepared(name, sql)
        } catch  where isStale(error) {
            // Something behind our back changed the statement or its tables. It has failed, so outside a transaction
            // nothing of it remains, and it can be repeated.
            statements.remove(key)
            return try executePrepared(prepare(sql, key), sql)
        }
    }

    private func isStale(_ error: PostgresError) -> Bool {
        (error.sqlState == .invalidStatementName || error.sqlState == .featureNotSupported) && isReusable
    }

    private func prepare(_ sql: SQL, _ key: StatementCache.Key) throws(PostgresError) -> String {
        precondition(sql.types.count <= Int(UInt16.max), "a statement has 65535 parameters at most")
        if let old = statements.evict() { _ = try command("DEALLOCATE \(old)") }
        let name = statements.newName()
        let types = sql.types.map(\.rawValue)
        _ = try result { PQsendPrepare(handle, name, sql.text, Int32(types.count), types) }
        statements.insert(name, for: key)
        return name
    }

    private func executePrepared(_ name: String, _ sql: SQL) throws(PostgresError) -> QueryResult {
        try result { sql.withParameters { PQsendQueryPrepared(handle, name, $0, $1, $2, $3, 1) } }
    }

    /// Sends text by the simple protocol: one command of this client, or a whole script.
    func command(_ text: String) throws(PostgresError) -> QueryResult {
        try result { PQsendQuery(handle, text) }
    }

    /// Changes `statement_timeout` for the rest of the open transaction.
    func limitStatements(to timeout: Duration) throws(PostgresError) {
        _ = try command("SET LOCAL statement_timeout = \(timeout.milliseconds)")
        patience = Self.patience(for: timeout)
    }

    // MARK: - Transactions

    func begin(_ isolation: Isolation) throws(PostgresError) {
        _ = try command(isolation.begin.description)
    }

    /// Commits, and says so only if the server has.
    func commit() throws(PostgresError) {
        defer { patience = Self.patience(for: statementTimeout) }
        let tag: QueryResult
        do {
            tag = try command("COMMIT")
        } catch  where isBroken {
            throw error.duringCommit
        }
        guard tag.isTagged("COMMIT") else { throw PostgresError(.transactionAborted) }
    }

    /// Rolls back. A connection that can't do it is abandoned, which has the same effect.
    func rollback() {
        defer { patience = Self.patience(for: statementTimeout) }
        guard !isBroken, (try? command("ROLLBACK")) != nil else { return abandon() }
    }

    /// Closes the connection as soon as its user is done.
    func abandon() {
        isAbandoned = true
    }

    // MARK: - COPY

    /// The types and names of the columns that a query without parameters has.
    func describe(_ sql: SQL) throws(PostgresError) -> [CopyRow.Column] {
        let key = StatementCache.Key(text: sql.text, types: sql.types)
        let name = if let known = statements.name(for: key) { known } else { try prepare(sql, key) }
        let description = try result { PQsendDescribePrepared(handle, name) }
        return (0..<description.columnCount).map {
            CopyRow.Column(name: description.columnName($0), type: description.columnType($0))
        }
    }

    /// Executes `COPY … TO STDOUT` and passes on the pieces in which the data arrives.
    ///
    /// If `body` throws, the rest is not waited for: the connection is abandoned.
    func copyOut(_ text: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let answer = try result(expecting: PGRES_COPY_OUT) { PQsendQuery(handle, text) }
        guard answer.status == PGRES_COPY_OUT else {
            abandon()
            throw PostgresError(.unexpected, reason: "no data in answer to COPY")
        }
        while true {
            var piece: UnsafeMutablePointer<CChar>?
            switch PQgetCopyData(handle, &piece, 1) {
            case 0:
                // libpq asks for more even when there is nobody to send it.
                guard !isBroken else { throw PostgresError(.connection, reason: "the connection broke during COPY") }
                try awaitInput()
            case -1:
                _ = try collect()
                return
            case ..<0:
                abandon()
                throw PostgresError(.connection, reason: "the connection broke during COPY")
            case let length:
                defer { PQfreemem(piece) }
                do {
                    try body(UnsafeRawBufferPointer(start: piece, count: Int(length)))
                } catch {
                    abandon()
                    throw error
                }
            }
        }
    }

    /// The types of the columns that a COPY into `target` fills, if there are `count` of them.
    ///
    /// An INSERT's parameters have them, and asking for those takes no right but the one to insert.
    func describe(target: String, columns count: Int) throws(PostgresError) -> [PostgresType] {
        let parameters = (1...max(1, count)).map { "$\($0)" }.joined(separator: ", ")
        // Without a name, so that it is gone with the next statement, and never older than the table.
        _ = try result { PQsendPrepare(handle, "", "INSERT INTO \(target) VALUES (\(parameters))", 0, nil) }
        let description = try result { PQsendDescribePrepared(handle, "") }
        return (0..<description.parameterCount).map { description.parameterType($0) }
    }

    /// Executes `COPY … FROM STDIN` with the data that `body` puts. Returns the number of rows that were inserted.
    ///
    /// If `body` throws, the server is told so and inserts nothing.
    func copyIn(_ text: String, columns count: Int, _ body: () throws -> Void) throws -> Int {
        let answer = try result(expecting: PGRES_COPY_IN) { PQsendQuery(handle, text) }
        guard answer.status == PGRES_COPY_IN else {
            abandon()
            throw PostgresError(.unexpected, reason: "COPY takes no data")
        }
        do {
            guard answer.columnCount == count else {
                throw PostgresError(.decoding, reason: "\(answer.columnCount) columns instead of \(count)")
            }
            try body()
        } catch {
            if !isBroken { _ = failedCopy() }
            throw error
        }
        guard PQputCopyEnd(handle, nil) == 1 else { throw failedCopy() }
        try flush()
        return try collect().affectedRows
    }

    /// Sends a piece of a COPY's data.
    ///
    /// An error of the server isn't noticed before the end: until then it ignores what is sent.
    func putCopyData(_ data: [UInt8]) throws(PostgresError) {
        guard !isAbandoned else { throw PostgresError(.connection, reason: "the connection was given up") }
        let answer = data.withUnsafeBytes { bytes in
            PQputCopyData(handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
        }
        // Nothing waits to be sent from the piece before, so that there is no reason but memory or the connection.
        guard answer == 1 else { throw failedCopy() }
        try flush()
        guard !isBroken else { throw failedCopy() }
    }

    /// Ends a COPY so that nothing is inserted, and says why the server (or libpq) thinks that it failed.
    private func failedCopy() -> PostgresError {
        guard PQputCopyEnd(handle, "the client gave up") == 1 else {
            abandon()
            return PostgresError(.connection, reason: "the connection broke during COPY")
        }
        do {
            try flush()
            _ = try collect()
        } catch {
            return error
        }
        abandon()
        return PostgresError(.unexpected, reason: "COPY succeeded without its end")
    }

    // MARK: - Sending and receiving

    /// Sends something and waits for the whole answer.
    private func result(
        expecting stop: ExecStatusType? = nil, of send: () -> Int32
    ) throws(PostgresError) -> QueryResult {
        guard !isAbandoned else { throw PostgresError(.connection, reason: "the connection was given up") }
        guard send() == 1 else {
            // Either the connection is gone or it is still busy with what went before, which it can't be unless an
            // answer was left half read: no reason to keep it.
            abandon()
            throw PostgresError(.connection, reason: "the statement could not be sent")
        }
        try flush()
        return try collect(until: stop)
    }

    private func flush() throws(PostgresError) {
        while PQflush(handle) == 1 {
            // The server may not read before we read what it has to say.
            guard wait(for: POLLIN | POLLOUT, milliseconds: patience) else { throw silent() }
            _ = PQconsumeInput(handle)
        }
    }

    /// Reads all results of what was sent. The answer is the first error, or else the last result.
    private func collect(until stop: ExecStatusType? = nil) throws(PostgresError) -> QueryResult {
        var last: QueryResult?
        var failure: PostgresError?
        while true {
            while PQisBusy(handle) == 1 { try awaitInput() }
            guard let next = PQgetResult(handle) else { break }
            let result = QueryResult(next)
            let status = result.status
            switch status {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                last = consume result
            case PGRES_COPY_OUT, PGRES_COPY_IN, PGRES_COPY_BOTH:
                if status == stop { return result }
                abandon()
                throw PostgresError(.unexpected, reason: "COPY is not possible here")
            default:
                if failure == nil { failure = error(in: result) }
            }
        }
        if let failure {
            // An error without SQLSTATE is libpq's. With the connection lost, whatever the server said last (as a
            // rule that an administrator ended it) belongs to that.
            guard isBroken else { throw failure }
            throw PostgresError(.connection, sqlState: failure.sqlState, reason: "the connection broke")
        }
        guard let answer = last.take() else {
            abandon()
            throw PostgresError(.connection, reason: "no answer")
        }
        return answer
    }

    private func error(in result: borrowing QueryResult) -> PostgresError {
        switch result.sqlState {
        case nil: result.error(.unexpected, reason: "libpq could not read the answer")
        case .some(.queryCanceled): result.error(.timeout)
        case .some: result.error(.server)
        }
    }

    /// Waits for bytes and lets libpq read them. That the connection broke is left for `PQgetResult` to say, which
    /// first gives what the server said before.
    private func awaitInput() throws(PostgresError) {
        guard wait(for: POLLIN, milliseconds: patience) else { throw silent() }
        _ = PQconsumeInput(handle)
    }

    private func silent() -> PostgresError {
        abandon()
        return PostgresError(.timeout, reason: "no answer from the server")
    }

    /// Whether the socket became ready (or broke) in time.
    private func wait(for events: Int32, milliseconds: Int32) -> Bool {
        var socket = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        guard socket.fd >= 0 else { return true }
        var ready = poll(&socket, 1, milliseconds)
        while ready < 0 && errno == EINTR { ready = poll(&socket, 1, milliseconds) }
        return ready != 0
    }
}
