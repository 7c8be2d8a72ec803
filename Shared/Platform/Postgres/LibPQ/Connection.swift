import CLibPQ
import Glibc

/// One connection to the server, used by one thread at a time: it isn't Sendable, and its pool worker passes it to no more than
/// one closure at a time.
///
/// libpq is used in its non-blocking form, with `poll` between the calls, so that a server that stops answering can't block the
/// thread for ever (<https://www.postgresql.org/docs/current/libpq-async.html>). libpq sends with MSG_NOSIGNAL, so a broken
/// connection raises no SIGPIPE.
final class Connection {
    /// How much later than the server's own `statement_timeout` the client gives up.
    private static let grace: Duration = .seconds(5)

    /// libpq's connection.
    let handle: OpaquePointer
    private let notices: NoticeCounter
    private let statementTimeout: Duration
    private var statements: StatementCache
    /// Milliseconds without a byte from the server after which the connection is given up; -1 is no limit.
    private var receiveTimeout: Int32
    /// Whether the connection is in an unknown state and must not be used again.
    private var isAbandoned = false

    /// Opens a connection within `connectTimeout`, not counting the time in which the system resolves the host's name.
    ///
    /// If there are several servers, each has an equal part of that time.
    init(_ configuration: PostgresConfiguration, statementCapacity: Int = 256) throws(PostgresError) {
        handle = try Self.open(configuration)
        notices = NoticeCounter()
        statements = StatementCache(capacity: statementCapacity)
        statementTimeout = configuration.statementTimeout
        receiveTimeout = Self.receiveTimeout(for: configuration.statementTimeout)
        notices.receive(from: handle)
        PQsetnonblocking(handle, 1)
    }

    /// A connection to the first server that admits this client. Throws the last server's error if none does.
    private static func open(_ configuration: PostgresConfiguration) throws(PostgresError) -> OpaquePointer {
        let servers = try ConnectionParameters.all(configuration)
        var problem = PostgresError(.connection, reason: "no server is configured")
        for server in servers {
            guard let handle = server.start() else { throw PostgresError(.connection, reason: "out of memory") }
            // libpq's messages are limited to SQLSTATEs, since others may hold data.
            PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
            do {
                try establish(handle, within: configuration.connectTimeout / servers.count)
                return handle
            } catch {
                PQfinish(handle)
                problem = error
            }
        }
        throw problem
    }

    deinit {
        PQfinish(handle)
    }

    private static func receiveTimeout(for statementTimeout: Duration) -> Int32 {
        statementTimeout > .zero ? (statementTimeout + grace).milliseconds : -1
    }

    private static func establish(_ handle: OpaquePointer, within timeout: Duration) throws(PostgresError) {
        let deadline = ContinuousClock.now + timeout
        var next = PGRES_POLLING_WRITING
        while next != PGRES_POLLING_OK {
            guard next != PGRES_POLLING_FAILED, PQstatus(handle) != CONNECTION_BAD else {
                throw ConnectFailure(message: String(cString: PQerrorMessage(handle))).error
            }
            let events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT
            guard wait(on: handle, for: events, milliseconds: (deadline - .now).milliseconds) else {
                throw PostgresError(.connection, reason: "timed out while connecting")
            }
            next = PQconnectPoll(handle)
        }
    }

    // MARK: - State

    /// Whether the connection can't be used any more.
    var isBroken: Bool { isAbandoned || PQstatus(handle) != CONNECTION_OK }

    /// Whether the connection can serve the next caller: it works, and no transaction is open on it.
    var isReusable: Bool { !isBroken && PQtransactionStatus(handle) == PQTRANS_IDLE }

    /// The number of notices since the last call. Their text, which can hold data, was dropped.
    func takeNoticeCount() -> Int { notices.take() }

    /// Whether an idle connection works and has nothing to read.
    ///
    /// Whatever the server sent to an idle connection (an end of file, the error with which it closed the connection, a changed
    /// setting), replacing the connection is cheap and always correct: no statement was sent, so nothing can have been executed.
    var isQuiet: Bool {
        !isBroken && !wait(for: POLLIN, milliseconds: 0)
    }

    /// Executes `SELECT 1`, for a connection that was idle for so long that a firewall may have dropped it.
    func ping(within limit: Duration) -> Bool {
        let usual = receiveTimeout
        receiveTimeout = limit.milliseconds
        defer { receiveTimeout = usual }
        return (try? command("SELECT 1")) != nil
    }

    // MARK: - Statements

    /// Executes one statement, which is prepared on its first use on this connection.
    func execute(_ sql: SQL) throws(PostgresError) -> QueryResult {
        let key = StatementCache.Key(text: sql.text, types: sql.types)
        guard let name = statements.name(for: key) else {
            return try executePrepared(prepare(sql, key), sql)
        }
        do {
            return try executePrepared(name, sql)
        } catch  where isStale(error) {
            // Another session changed the statement's tables, or DISCARD removed the statement. It has failed, so outside a
            // transaction nothing of it remains, and it can be repeated.
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

    /// Sends text by the simple query protocol: one command of this client, or a whole script.
    func command(_ text: String) throws(PostgresError) -> QueryResult {
        try result { PQsendQuery(handle, text) }
    }

    /// Changes `statement_timeout` for the rest of the open transaction.
    func limitStatements(to timeout: Duration) throws(PostgresError) {
        _ = try command("SET LOCAL statement_timeout = \(timeout.milliseconds)")
        receiveTimeout = Self.receiveTimeout(for: timeout)
    }

    // MARK: - Transactions

    /// Begins a transaction at the level read committed, whatever the server's default is.
    func begin() throws(PostgresError) {
        _ = try command("BEGIN ISOLATION LEVEL READ COMMITTED")
    }

    /// Commits, and throws unless the server confirms it.
    func commit() throws(PostgresError) {
        defer { receiveTimeout = Self.receiveTimeout(for: statementTimeout) }
        let tag: QueryResult
        do {
            tag = try command("COMMIT")
        } catch  where isBroken {
            throw error.duringCommit
        }
        guard tag.isTagged("COMMIT") else { throw PostgresError(.transactionAborted) }
    }

    /// Rolls back. A connection on which that fails is abandoned, which has the same effect.
    func rollback() {
        defer { receiveTimeout = Self.receiveTimeout(for: statementTimeout) }
        guard !isBroken, (try? command("ROLLBACK")) != nil else { return abandon() }
    }

    /// Lets the pool close the connection after its current use.
    func abandon() {
        isAbandoned = true
    }

    // MARK: - Passwords

    /// The password verifier that the server stores, computed on this side.
    func passwordVerifier(_ password: String, for role: String) throws(PostgresError) -> String {
        guard let verifier = PQencryptPasswordConn(handle, password, role, "scram-sha-256") else {
            throw PostgresError(.unexpected, reason: "libpq could not make a password verifier")
        }
        defer { PQfreemem(verifier) }
        return String(cString: verifier)
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
    /// If `body` throws, the rest isn't read: the connection is abandoned.
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
                // libpq reports that it needs more even after the connection has broken.
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
    /// They are those of an INSERT's parameters, and describing that statement needs no privilege but the one to insert.
    func describe(target: String, columns count: Int) throws(PostgresError) -> [PostgresType] {
        let parameters = (1...max(1, count)).map { "$\($0)" }.joined(separator: ", ")
        // Without a name: the next statement replaces it, so it is never older than the table.
        _ = try result { PQsendPrepare(handle, "", "INSERT INTO \(target) VALUES (\(parameters))", 0, nil) }
        let description = try result { PQsendDescribePrepared(handle, "") }
        return (0..<description.parameterCount).map { description.parameterType($0) }
    }

    /// Executes `COPY … FROM STDIN` with the data that `body` puts. Returns the number of rows that were inserted.
    ///
    /// If `body` throws, the COPY is aborted and nothing is inserted.
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
    /// The server reports an error only at the end of the COPY, and discards further data until then.
    func putCopyData(_ data: [UInt8]) throws(PostgresError) {
        guard !isAbandoned else { throw PostgresError(.connection, reason: "the connection was given up") }
        let answer = data.withUnsafeBytes { bytes in
            PQputCopyData(handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
        }
        // The previous piece was flushed, so the only causes of failure are memory and the connection.
        guard answer == 1 else { throw failedCopy() }
        try flush()
        guard !isBroken else { throw failedCopy() }
    }

    /// Aborts a COPY so that nothing is inserted, and returns the error of the server or of libpq.
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
            // Either the connection broke, or an earlier answer was only half read. There is no reason to keep it in either case.
            abandon()
            throw PostgresError(.connection, reason: "the statement could not be sent")
        }
        try flush()
        return try collect(until: stop)
    }

    private func flush() throws(PostgresError) {
        while PQflush(handle) == 1 {
            // The server may stop reading until its own output has been read.
            guard wait(for: POLLIN | POLLOUT, milliseconds: receiveTimeout) else { throw noAnswer() }
            try consumeInput()
        }
    }

    /// Reads all results of what was sent. Throws the first error, or returns the last result.
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
            // This server was the primary, or a name leads to another one now: the next connection may find the primary.
            if failure.sqlState == .readOnlyTransaction { abandon() }
            // An error without SQLSTATE is libpq's. If the connection broke, the server's last error (usually that an
            // administrator terminated it) is the cause of that.
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

    /// Waits for bytes and lets libpq read them.
    private func awaitInput() throws(PostgresError) {
        guard wait(for: POLLIN, milliseconds: receiveTimeout) else { throw noAnswer() }
        try consumeInput()
    }

    /// Lets libpq read what is there.
    ///
    /// `PQgetResult` reports a broken connection, after everything that the server sent before. But libpq doesn't take a
    /// connection for broken if the kernel has no memory: it would be asked again and again.
    private func consumeInput() throws(PostgresError) {
        guard PQconsumeInput(handle) == 0, PQstatus(handle) == CONNECTION_OK else { return }
        abandon()
        throw PostgresError(.connection, reason: "the answer could not be read")
    }

    private func noAnswer() -> PostgresError {
        abandon()
        return PostgresError(.timeout, reason: "no answer from the server")
    }

    private func wait(for events: Int32, milliseconds: Int32) -> Bool {
        Self.wait(on: handle, for: events, milliseconds: milliseconds)
    }

    /// Whether the socket became ready (or broke) in time; false also without memory in the kernel.
    private static func wait(on handle: OpaquePointer, for events: Int32, milliseconds: Int32) -> Bool {
        var socket = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        guard socket.fd >= 0 else { return true }
        var ready = poll(&socket, 1, milliseconds)
        while ready < 0 && errno == EINTR { ready = poll(&socket, 1, milliseconds) }
        return ready > 0
    }
}
