internal import CLinux
internal import Glibc
internal import Synchronization

/// An acceptor's socket on one core. The kernel spreads connections over the sockets of a port (SO_REUSEPORT, socket(7)).
final class ListeningSocket: Watched {
    let core: Core
    private let acceptor: Acceptor
    private var retry: ScheduledWork?
    private var isPaused = true

    /// How many connections are accepted before other sockets have their turn.
    private static let mostATurn = 64

    init(descriptor: Int32, on core: Core, _ acceptor: Acceptor) {
        self.core = core
        self.acceptor = acceptor
        super.init(descriptor: descriptor)
        resume()
    }

    override func ready(_ events: UInt32) {
        guard !isPaused else { return }
        accept(Self.mostATurn)
    }

    private func accept(_ most: Int) {
        for _ in 0..<most {
            guard acceptor.admit(self) else { return pause() }
            var address = sockaddr_storage()
            let accepted = linux_accept(descriptor, &address)
            if accepted >= 0 {
                begin(accepted, SocketAddress(address))
                continue
            }
            let reason = errno
            acceptor.ended()
            switch reason {
            case EAGAIN: return
            case ECONNABORTED, EINTR: continue
            default:
                // Without descriptors or memory left, epoll would report the waiting connection again and again.
                pause()
                return resumeLater()
            }
        }
    }

    private func begin(_ accepted: Int32, _ remote: SocketAddress?) {
        let secure = acceptor.secure?(accepted)
        let connection = Connection(
            descriptor: accepted, on: core, remote: remote, secure: secure,
            state: secure == nil ? .open : .handshaking, listener: self)
        guard let handler = acceptor.accepted(connection) else { return connection.abort() }
        connection.start(handler)
    }

    /// A connection of this core has ended.
    func connectionEnded() {
        acceptor.ended()
    }

    private func pause() {
        guard !isPaused, descriptor >= 0 else { return }
        isPaused = true
        // If even that fails, its events are ignored.
        try? core.watch.change(self, events: 0)
    }

    private func resumeLater() {
        retry?.cancel()
        retry = core.at(core.now + .milliseconds(100)) { [unowned self] in resume() }
    }

    /// There may be room again.
    func resume() {
        guard isPaused, descriptor >= 0 else { return }
        retry?.cancel()
        do {
            if core.watch.contains(self) {
                try core.watch.change(self, events: EPOLLIN.rawValue)
            } else {
                try core.watch.add(self, events: EPOLLIN.rawValue)
            }
            isPaused = false
        } catch {
            resumeLater()
        }
    }

    /// Accepts what the kernel has completed already, then closes the port.
    func stop() {
        guard descriptor >= 0 else { return }
        retry?.cancel()
        if !isPaused { accept(.max) }
        core.watch.remove(self)
        close(descriptor)
        descriptor = -1
    }
}
