import Loop

/// Answers of unknown length, for simulators and tests; only HTTP/1.1 has them.
extension ServerExchange {
    /// Begins an answer whose body is written piece by piece.
    ///
    /// - Returns: whether it has begun.
    func beginStream(_ answer: ServerAnswer) -> Bool {
        guard case .handling = state, let connection, connection.wire?.beginStream(answer, for: self) == true else {
            return false
        }
        streams(until: connection.core.now + connection.limits.answer)
        return true
    }

    /// Writes a piece.
    ///
    /// - Returns: false if there is no room for more until `resume` is called; nil if the caller is gone.
    func write(_ bytes: [UInt8], resume: @escaping () -> Void) -> Bool? {
        guard case .streaming = state, let connection else { return nil }
        return connection.wire?.write(bytes, for: self, resume: resume)
    }

    /// Ends the answer.
    func endStream() {
        guard case .streaming = state, let connection else { return }
        finish()
        connection.wire?.endStream(self)
    }
}
