internal import CLinux
internal import Glibc
internal import Synchronization

/// Where connections are accepted, and how many.
package struct ListenOptions: Sendable {
    /// An address of this machine, or a name of one.
    package var host: String
    /// The port; 0 lets the system choose.
    package var port: Int
    /// How many complete connections may wait in the kernel, on each core.
    package var backlog: Int
    /// How many connections may be open; more wait in the backlog.
    package var maxConnections: Int
    /// The kernel's buffer for each connection's output in bytes; nil leaves it to the kernel, which takes megabytes for a peer
    /// that doesn't read.
    package var sendBuffer: Int?

    /// Creates options with a backlog of 1,024 and the kernel's buffers.
    package init(host: String, port: Int, maxConnections: Int, backlog: Int = 1024) {
        self.host = host
        self.port = port
        self.maxConnections = maxConnections
        self.backlog = backlog
    }
}

/// Accepts connections at one port, on several cores.
package final class Acceptor: Sendable {
    private let options: ListenOptions
    private let cores: [Core]
    let secure: (@Sendable (Int32) -> any SecureTransport)?
    let accepted: @Sendable (Connection) -> (any ConnectionHandler)?
    private let openCount = Atomic<Int>(0)
    /// How many sockets wait for a connection to end.
    private let waiting = Atomic<Int>(0)
    private let sockets = Mutex<[(core: Core, socket: LocalTo<ListeningSocket>)]>([])

    /// - Parameters:
    ///   - secure: makes TLS for each connection's descriptor; nil for clear connections.
    ///   - accepted: makes the handler of a connection, on its core, before the handshake; nil closes it at once.
    package init(
        _ options: ListenOptions, on cores: [Core] = Cores.shared.all,
        secure: (@Sendable (Int32) -> any SecureTransport)? = nil,
        accepted: @escaping @Sendable (Connection) -> (any ConnectionHandler)?
    ) {
        self.options = options
        self.cores = cores
        self.secure = secure
        self.accepted = accepted
    }

    /// How many connections are open, with those that linger.
    package var openConnections: Int { openCount.load(ordering: .relaxed) }

    /// Opens the port and starts accepting.
    ///
    /// - Returns: the port.
    package func open() throws(SocketProblem) -> Int {
        // A listener's host is an address; a name such as localhost is looked up once, at the start.
        guard
            let address = NameLookup.literal(options.host, port: options.port)
                ?? NameLookup.addresses(of: options.host, port: options.port).first
        else { throw SocketProblem(code: EADDRNOTAVAIL) }
        var descriptors: [Int32] = []
        do throws(SocketProblem) {
            let first = try listen(at: address, shares: false)
            descriptors.append(first)
            let same = NameLookup.Address(of: first)
            for _ in cores.dropFirst() { descriptors.append(try listen(at: same, shares: true)) }
            for (core, descriptor) in zip(cores, descriptors) {
                if core.isCurrent {
                    start(descriptor, on: core)
                } else {
                    core.execute { self.start(descriptor, on: core) }
                }
            }
            return same.port
        } catch {
            for descriptor in descriptors { close(descriptor) }
            throw error
        }
    }

    /// A socket for one core.
    ///
    /// - Parameter shares: false for the first: it fails if another process has the port, even one that would share it.
    private func listen(at address: NameLookup.Address, shares: Bool) throws(SocketProblem) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, type, 0)
        guard descriptor >= 0 else { throw SocketProblem(code: errno) }
        setOption(SOL_SOCKET, SO_REUSEADDR, 1, of: descriptor)
        if shares { setOption(SOL_SOCKET, SO_REUSEPORT, 1, of: descriptor) }
        // Connections inherit both.
        setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1, of: descriptor)
        if let size = options.sendBuffer { setOption(SOL_SOCKET, SO_SNDBUF, Int32(clamping: size), of: descriptor) }
        var status = address.withPointer { bind(descriptor, $0, $1) }
        if !shares, cores.count > 1 { setOption(SOL_SOCKET, SO_REUSEPORT, 1, of: descriptor) }
        if status == 0 { status = Glibc.listen(descriptor, Int32(clamping: options.backlog)) }
        guard status == 0 else {
            let problem = SocketProblem(code: errno)
            close(descriptor)
            throw problem
        }
        return descriptor
    }

    private func start(_ descriptor: Int32, on core: Core) {
        let socket = LocalTo(ListeningSocket(descriptor: descriptor, on: core, self), on: core)
        sockets.withLock { $0.append((core, socket)) }
    }

    /// Accepts nothing more. Connections that are open stay.
    package func stopAccepting() async {
        for (core, socket) in sockets.withLock({ $0 }) {
            await core.submit { socket.value.stop() }
        }
    }

    // MARK: The limit

    /// Takes a place for a connection; if there is none, the socket is resumed when there is.
    func admit(_ socket: ListeningSocket) -> Bool {
        if take() { return true }
        waiting.add(1, ordering: .sequentiallyConsistent)
        // A connection that ended in between didn't see that someone waits.
        return take()
    }

    private func take() -> Bool {
        var count = openCount.load(ordering: .sequentiallyConsistent)
        while count < options.maxConnections {
            let (isTaken, now) = openCount.compareExchange(
                expected: count, desired: count + 1, ordering: .sequentiallyConsistent)
            if isTaken { return true }
            count = now
        }
        return false
    }

    /// Gives a place back.
    func ended() {
        openCount.subtract(1, ordering: .sequentiallyConsistent)
        guard waiting.exchange(0, ordering: .sequentiallyConsistent) > 0 else { return }
        for (core, socket) in sockets.withLock({ $0 }) {
            core.execute { socket.value.resume() }
        }
    }
}
