internal import CLinux
internal import Glibc

/// A TCP connection on a core, clear or with TLS.
///
/// A handler gets its events and writes to it. No call of the handler comes from within a call of a method here, so the handler's
/// state is always whole when an event comes.
///
/// Numbers, flags and the two buffers aren't checked for exclusive access (The Swift Programming Language, "Memory Safety"): reading
/// a number copies it whole, and what the buffers do calls nobody who could reach them. A check takes sixty instructions, and a
/// request would have dozens.
package final class Connection: Watched {
    enum State: UInt8 {
        case connecting
        /// A balancer hasn't said yet for whom it calls.
        case introducing
        case handshaking
        case open
        /// What was written is still being sent; nothing is read.
        case closing
        /// Everything was sent, and that it was everything; what comes is discarded.
        case lingering
        case closed
    }

    /// The core of all its calls.
    package let core: Core
    /// The peer, or whom a balancer calls for; nil for a pair, and until an outgoing connection is there.
    package internal(set) var remote: SocketAddress?
    /// Who gets the events. It is kept until ``ConnectionHandler/closed(_:_:)``, and may be replaced before that.
    package var handler: (any ConnectionHandler)?
    /// When the last bytes came off the socket, before decryption: the beginning of that turn.
    @exclusivity(unchecked) package internal(set) var arrived: Moment
    /// The most input that is kept for the handler; while it is full, nothing is read. At most 64 KiB.
    @exclusivity(unchecked) package var inputLimit = 64 << 10
    /// While more than `high` bytes are unsent, nothing is read and offered; at `low` that goes on, and the handler is told.
    @exclusivity(unchecked) package var outputMark = (high: 64 << 10, low: 32 << 10)

    @exclusivity(unchecked) var state: State
    var secure: (any SecureTransport)?
    /// What the handler hasn't taken.
    @exclusivity(unchecked) var kept: [UInt8] = []
    @exclusivity(unchecked) var output = OutputQueue()
    /// What epoll watches for.
    @exclusivity(unchecked) var interest: UInt32 = 0
    let listener: ListeningSocket?
    /// How an outgoing connection comes about, until it is there.
    var opening: Opening?
    /// Ends lingering.
    var lingering: ScheduledWork?
    var discarded = 0
    /// Why writing failed; 0 if it didn't.
    @exclusivity(unchecked) var brokenBy: Int32 = 0
    /// What has come of a balancer's header.
    var introduction: [UInt8] = []
    var end = ConnectionEnd.closed

    // Of the moment.
    /// Whether a pass over its events is going on, which will send what is written meanwhile.
    @exclusivity(unchecked) var isActive = false
    /// Whether the core will call `runDue`.
    @exclusivity(unchecked) var isDue = false
    @exclusivity(unchecked) var isPaused = false
    @exclusivity(unchecked) var hasInputEnded = false
    @exclusivity(unchecked) var owesOffer = false
    @exclusivity(unchecked) var owesCanWrite = false
    @exclusivity(unchecked) var isOverMark = false
    /// Whether the socket took no more output.
    @exclusivity(unchecked) var isBlocked = false
    @exclusivity(unchecked) var writeWantsRead = false
    @exclusivity(unchecked) var readWantsWrite = false

    init(
        descriptor: Int32, on core: Core, remote: SocketAddress?, secure: (any SecureTransport)?, state: State,
        listener: ListeningSocket?
    ) {
        self.core = core
        self.remote = remote
        self.secure = secure
        self.state = state
        self.listener = listener
        arrived = core.now
        super.init(descriptor: descriptor)
    }

    deinit {
        // A pair that was never started.
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Begins: with the handshake, or at once.
    package func start(_ handler: any ConnectionHandler) {
        self.handler = handler
        interest = EPOLLIN.rawValue
        do { try core.watch.add(self, events: interest) } catch { return finish(.socket(error)) }
        // A client speaks first.
        if state == .handshaking, listener == nil { return pass { $0.shakeHands() } }
        if state == .open { pass { $0.handler?.opened($0) } }
    }

    // MARK: Events

    override func ready(_ events: UInt32) {
        pass { $0.react(to: events) }
    }

    /// The core is about to wait.
    func runDue() {
        isDue = false
        if state == .closed {
            let handler = self.handler
            self.handler = nil
            handler?.closed(self, end)
            return
        }
        pass { $0.settleDebts() }
    }

    /// Does something, then sends what was written, and tells epoll what to watch for.
    private func pass(_ body: (Connection) -> Void) {
        guard state != .closed else { return }
        isActive = true
        body(self)
        if state == .open || state == .closing {
            flush()
            if brokenBy != 0 { takeLastInput() }
            if state == .closing, !isBlocked, output.isEmpty { sayGoodbye() }
        }
        isActive = false
        updateInterest()
        if state != .closed, owesCanWrite || owesOffer || brokenBy != 0 { setDue() }
    }

    private func react(to events: UInt32) {
        let isOver = events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0
        let mayRead = isOver || events & EPOLLIN.rawValue != 0
        let mayWrite = isOver || events & EPOLLOUT.rawValue != 0
        switch state {
        case .connecting: finishConnecting()
        case .introducing: readProxyHeader()
        case .handshaking: shakeHands()
        case .open, .closing:
            if isBlocked, writeWantsRead ? mayRead : mayWrite {
                isBlocked = false
                writeWantsRead = false
                flush()
            }
            if canRead, readWantsWrite ? mayWrite : mayRead {
                arrived = core.now
                readInput()
            } else if isOver, !isBlocked, brokenBy == 0 {
                finish(.socket(SocketProblem(code: pendingError)))
            }
        case .lingering: discardInput()
        case .closed: break
        }
    }

    func setDue() {
        guard !isDue else { return }
        isDue = true
        core.afterTurn(self)
    }

    private func updateInterest() {
        let wanted: UInt32
        switch state {
        case .connecting, .introducing, .handshaking: return
        case .open, .closing:
            var events: UInt32 = 0
            if canRead { events |= readWantsWrite ? EPOLLOUT.rawValue : EPOLLIN.rawValue }
            if isBlocked { events |= writeWantsRead ? EPOLLIN.rawValue : EPOLLOUT.rawValue }
            wanted = events
        case .lingering: wanted = EPOLLIN.rawValue
        case .closed: return
        }
        watch(for: wanted)
    }

    func watch(for events: UInt32) {
        guard events != interest else { return }
        interest = events
        do { try core.watch.change(self, events: events) } catch { finish(.socket(error)) }
    }

    /// The socket's own error; a reset if it has none.
    var pendingError: Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        return code == 0 ? ECONNRESET : code
    }

    // MARK: Properties

    /// The application protocol that the handshake agreed on; nil without TLS, or if there is none.
    package var negotiatedProtocol: String? { secure?.negotiatedProtocol }

    /// The peer's certificate in DER; nil if it has none.
    package var peerCertificate: [UInt8]? { secure?.peerCertificate }

    /// Whether it has TLS.
    package var isSecure: Bool { secure != nil }

    /// Whether ``close()`` or ``abort()`` was called, or the connection has failed: what is written now is dropped.
    package var isClosing: Bool { state.rawValue >= State.closing.rawValue }

    /// Sets the kernel's buffer for output in bytes (SO_SNDBUF, which the kernel doubles).
    package func setSendBuffer(_ bytes: Int) {
        setOption(SOL_SOCKET, SO_SNDBUF, Int32(clamping: bytes), of: descriptor)
    }
}

/// Sets a whole-number option of a socket.
func setOption(_ level: Int32, _ name: Int32, _ value: Int32, of descriptor: Int32) {
    var value = value
    setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
}
