/// One run of a transaction's closure, between BEGIN and COMMIT or ROLLBACK.
enum Transaction {
    enum Outcome<R: Sendable>: Sendable {
        case committed(R)
        /// `isConflict`: a concurrent transaction was the cause, whatever error the closure made of it.
        case failed(any Error, isConflict: Bool)
    }

    static func run<R: Sendable>(
        on connection: Connection, _ body: (Session) throws -> R
    ) -> Outcome<R> {
        do {
            try connection.begin()
        } catch {
            return .failed(error, isConflict: false)
        }
        var sawConflict = false
        do {
            let result = try Session.lend(connection, inTransaction: true) { session in
                defer { sawConflict = session.sawConflict }
                return try body(session)
            }
            do {
                try connection.commit()
            } catch {
                return .failed(
                    error, isConflict: error.isConflict || (error.code == .transactionAborted && sawConflict))
            }
            return .committed(result)
        } catch {
            connection.rollback()
            return .failed(error, isConflict: sawConflict)
        }
    }
}
