internal import CLinux
internal import Glibc

extension Connection {
    /// Offers nothing more until ``resumeReading()``, also of what was read already.
    package func pauseReading() {
        isPaused = true
    }

    /// Goes on offering: first what is kept, then what comes.
    ///
    /// A handler that left bytes because it was busy calls this when it can take them, whether it has paused or not.
    package func resumeReading() {
        isPaused = false
        owesOffer = true
        if !isActive { setDue() }
    }

    /// How many bytes are kept for the handler.
    package var keptBytes: Int { kept.count }

    var canRead: Bool {
        state == .open && !isPaused && !hasInputEnded && !isOverMark && kept.count < inputLimit
    }

    /// Reads once and offers what came.
    func readInput() {
        readWantsWrite = false
        let room = min(inputLimit, Core.inputCapacity / 2) - kept.count
        let start = kept.count
        if start > 0 {
            kept.withUnsafeBytes { core.input.copyMemory(from: $0) }
        }
        switch receive(into: UnsafeMutableRawBufferPointer(rebasing: core.input[start..<start + room])) {
        case .done(let count):
            offerInput(start + count)
            // OpenSSL holds more, of which the socket knows nothing.
            if state == .open, let secure, secure.hasPending { owesOffer = true }
        case .wantsRead: break
        case .wantsWrite: readWantsWrite = true
        case .ended:
            hasInputEnded = true
            handler?.inputEnded(self)
        case .truncated: finish(.truncated)
        case .broken(let code): finish(.socket(SocketProblem(code: code)))
        case .failed: finish(.security(secure?.failure ?? ""))
        }
    }

    /// Offers the first bytes of the core's buffer, and keeps what the handler leaves.
    private func offerInput(_ count: Int) {
        let bytes = UnsafeRawBufferPointer(rebasing: core.input[..<count])
        let taken = offer(bytes.assumingMemoryBound(to: UInt8.self))
        if taken == count {
            if !kept.isEmpty { kept = [] }
        } else if state == .open {
            kept.removeAll(keepingCapacity: true)
            kept.append(contentsOf: bytes[taken...])
        }
    }

    private func offer(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let taken = handler?.received(bytes.span, on: self) ?? bytes.count
        precondition(taken >= 0 && taken <= bytes.count, "a handler took more than it was given")
        return taken
    }

    /// What had to wait for the handler to return.
    func settleDebts() {
        if owesCanWrite {
            owesCanWrite = false
            owesOffer = true
            if state == .open { handler?.canWrite(self) }
        }
        guard owesOffer, state == .open, !isPaused, !isOverMark else { return }
        owesOffer = false
        if !kept.isEmpty {
            let bytes = kept
            kept = []
            let taken = bytes.withUnsafeBufferPointer(offer)
            if state == .open, taken < bytes.count { kept = taken == 0 ? bytes : Array(bytes[taken...]) }
        }
        guard state == .open, !isPaused else { return }
        if hasInputEnded {
            handler?.inputEnded(self)
        } else if canRead, let secure, secure.hasPending {
            readInput()
        }
    }

    /// Writing has failed. The peer's last words may say why, so they are read first.
    func takeLastInput() {
        var reads = 16
        while canRead, reads > 0 {
            readInput()
            if state == .closed { return }
            reads -= 1
            if !canReceiveMore { break }
        }
        finish(.socket(SocketProblem(code: brokenBy)))
    }

    private var canReceiveMore: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    private func receive(into buffer: UnsafeMutableRawBufferPointer) -> SecureOutcome {
        if let secure { return secure.read(into: buffer) }
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 { return .done(count) }
        if count == 0 { return .ended }
        return errno == EAGAIN || errno == EINTR ? .wantsRead : .broken(errno)
    }
}
