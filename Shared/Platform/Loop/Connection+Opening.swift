internal import CLinux
internal import Glibc

/// What an outgoing connection knows until it is there.
struct Opening {
    var addresses: [NameLookup.Address] = []
    var next = 0
    let end: Moment
    let secure: ((Int32) -> any SecureTransport)?
    /// Ends everything.
    var timeout: ScheduledWork?
    /// Ends the attempt with one address.
    var attempt: ScheduledWork?
    var failure = ConnectionEnd.name

    func cancel() {
        timeout?.cancel()
        attempt?.cancel()
    }
}

extension Connection {
    /// Connects to a host, on the core.
    ///
    /// Its addresses are tried one after another, each for its share of the time.
    ///
    /// - Parameters:
    ///   - host: an IP address or a name.
    ///   - secure: makes TLS for a descriptor; nil for a clear connection.
    ///   - time: until the handshake is done; then it ends with ``ConnectionEnd/timedOut``.
    package static func open(
        to host: String, port: Int, on core: Core, secure: ((Int32) -> any SecureTransport)? = nil,
        within time: Duration, handler: any ConnectionHandler
    ) -> Connection {
        let connection = Connection(
            descriptor: -1, on: core, remote: nil, secure: nil, state: .connecting, listener: nil)
        connection.handler = handler
        var opening = Opening(end: core.now + time, secure: secure)
        opening.timeout = core.at(opening.end) { connection.finish(.timedOut) }
        connection.opening = opening
        if let address = NameLookup.literal(host, port: port) {
            connection.connect(to: [address])
        } else {
            let local = LocalTo(connection, on: core)
            Blocking.start {
                let addresses = NameLookup.addresses(of: host, port: port)
                core.execute { local.value.connect(to: addresses) }
            }
        }
        return connection
    }

    private func connect(to addresses: [NameLookup.Address]) {
        guard state == .connecting else { return }
        opening?.addresses = addresses
        connectToNext()
    }

    private func connectToNext() {
        while let opening, opening.next < opening.addresses.count {
            self.opening?.next += 1
            let address = opening.addresses[opening.next]
            let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            descriptor = socket(address.family, type, 0)
            guard descriptor >= 0 else {
                self.opening?.failure = .socket(SocketProblem(code: errno))
                continue
            }
            setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1, of: descriptor)
            do {
                try connect(to: address)
                let left = opening.addresses.count - opening.next
                self.opening?.attempt =
                    left == 1
                    ? nil
                    : core.at(core.now + (opening.end - core.now) / left) { [unowned self] in
                        giveUp(ETIMEDOUT)
                    }
                return
            } catch {
                self.opening?.failure = .socket(error)
                Glibc.close(descriptor)
                descriptor = -1
            }
        }
        finish(opening?.failure ?? .name)
    }

    /// Begins to connect the socket; epoll tells when it is, or isn't.
    private func connect(to address: NameLookup.Address) throws(SocketProblem) {
        let status = address.withPointer { Glibc.connect(descriptor, $0, $1) }
        guard status == 0 || errno == EINPROGRESS else { throw SocketProblem(code: errno) }
        interest = EPOLLOUT.rawValue
        try core.watch.add(self, events: interest)
    }

    /// Tries the next address.
    private func giveUp(_ code: Int32) {
        opening?.attempt?.cancel()
        opening?.failure = .socket(SocketProblem(code: code))
        core.watch.remove(self)
        Glibc.close(descriptor)
        descriptor = -1
        connectToNext()
    }

    /// The socket is connected, or isn't.
    func finishConnecting() {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { return giveUp(code) }
        opening?.attempt?.cancel()
        remote = SocketAddress(peerOf: descriptor)
        secure = opening?.secure?(descriptor)
        if secure == nil { isOpen() } else { state = .handshaking; shakeHands() }
    }

    func shakeHands() {
        guard let secure else { return }
        switch secure.handshake() {
        case .done: isOpen()
        case .wantsRead: watch(for: EPOLLIN.rawValue)
        case .wantsWrite: watch(for: EPOLLOUT.rawValue)
        case .ended, .truncated: finish(.truncated)
        case .broken(let code): finish(.socket(SocketProblem(code: code)))
        case .failed:
            // A client would see a reset instead of the alert if it has sent more.
            if listener == nil { finish(.security(secure.failure)) } else { linger(.security(secure.failure)) }
        }
    }

    func isOpen() {
        opening?.cancel()
        opening = nil
        state = .open
        handler?.opened(self)
        // What came with the end of the handshake.
        if canRead, let secure, secure.hasPending {
            arrived = core.now
            readInput()
        }
    }

    /// Two connections with each other, for tests. ``start(_:)`` begins them.
    ///
    /// They are Unix sockets: if one closes while the other pauses, the other ends at once.
    ///
    /// - Parameter secure: makes TLS for a descriptor; nil for a clear connection.
    package static func pair(
        on core: Core, secure: ((Int32) -> any SecureTransport)? = nil,
        peerSecure: ((Int32) -> any SecureTransport)? = nil
    ) -> (Connection, Connection) {
        var descriptors: (Int32, Int32) = (-1, -1)
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let status = withUnsafeMutableBytes(of: &descriptors) {
            socketpair(AF_UNIX, type, 0, $0.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        precondition(status == 0, "no descriptors left for a pair")
        func connection(_ descriptor: Int32, _ secure: (any SecureTransport)?) -> Connection {
            Connection(
                descriptor: descriptor, on: core, remote: nil, secure: secure,
                state: secure == nil ? .open : .handshaking, listener: nil)
        }
        return (
            connection(descriptors.0, secure?(descriptors.0)), connection(descriptors.1, peerSecure?(descriptors.1))
        )
    }
}
