internal import CLinux
internal import Glibc

extension Connection {
    /// Closes after everything that was written is sent, and says so to the peer.
    ///
    /// Until then the handler's deadlines go on: it ends a peer that doesn't read with ``abort()``. Then the connection lingers without
    /// the state of TLS, for a second and 16 MiB at most: a socket that is closed with unread bytes is reset, and the peer may
    /// lose what it hasn't read (RFC 9112, 9.6).
    package func close() {
        switch state {
        case .connecting, .introducing, .handshaking: finish(.closed)
        case .open:
            state = .closing
            kept = []
            if !isActive { setDue() }
        case .closing, .lingering, .closed: break
        }
    }

    /// Closes at once. What wasn't sent is lost.
    package func abort() {
        finish(.closed)
    }

    /// More than both sockets' buffers hold by default (tcp(7): `tcp_rmem` and `tcp_wmem` up to 6 and 4 MiB), so that a peer that
    /// stops when it sees the answer gets it.
    private static var mostDiscarded: Int { 16 << 20 }

    /// Everything was sent.
    func sayGoodbye() {
        if let secure, case .wantsWrite = secure.shutDown() {
            isBlocked = true
            return
        }
        linger(.closed)
    }

    /// Frees TLS and waits for the peer to close as well.
    func linger(_ reason: ConnectionEnd) {
        secure = nil
        end = reason
        shutdown(descriptor, Int32(SHUT_WR))
        if hasInputEnded { return finish(reason) }
        state = .lingering
        lingering = core.at(core.now + .seconds(1)) { [unowned self] in finish(end) }
        discardInput()
    }

    func discardInput() {
        // Other connections of the core have their turn, too: what is left is announced again.
        for _ in 0..<8 where state == .lingering {
            let count = recv(descriptor, core.input.baseAddress, core.input.count / 2, 0)
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            discarded += max(count, 0)
            if count <= 0 || discarded > Self.mostDiscarded { finish(end) }
        }
    }

    /// Closes the socket. The handler is told before the core waits again.
    func finish(_ reason: ConnectionEnd) {
        guard state != .closed else { return }
        state = .closed
        end = reason
        secure = nil
        lingering?.cancel()
        lingering = nil
        opening?.cancel()
        opening = nil
        kept = []
        output.removeAll(on: core)
        if descriptor >= 0 {
            core.watch.remove(self)
            Glibc.close(descriptor)
            descriptor = -1
        }
        listener?.connectionEnded()
        setDue()
    }
}
