internal import Glibc

extension Connection {
    /// Takes the peer for a balancer, which must say first for whom it calls (``ProxyHeader``).
    ///
    /// To be called before ``start(_:)``. Whoever is believed can claim any address, so the peer must be one that the operator has
    /// named. A header that isn't complete keeps the connection waiting: the handler's deadline ends it.
    package func expectProxyHeader() {
        precondition(state == .handshaking || state == .open, "a header comes before everything else")
        state = .introducing
    }

    /// Reads the header and nothing behind it, which belongs to TLS.
    func readProxyHeader() {
        while state == .introducing {
            switch ProxyHeader(introduction) {
            case .incomplete(let missing):
                let count = recv(descriptor, core.input.baseAddress, missing, 0)
                if count < 0, errno == EAGAIN || errno == EINTR { return }
                if count < 0 { return finish(.socket(SocketProblem(code: errno))) }
                if count == 0 { return finish(.truncated) }
                introduction += core.input.prefix(count)
            case .caller(let address):
                remote = address
                introductionEnded()
            case .balancer: introductionEnded()
            case .invalid: return finish(.proxyHeader)
            }
        }
    }

    private func introductionEnded() {
        introduction = []
        handler?.introduced(self)
        guard state == .introducing else { return }
        // The handshake begins when the peer's first words are there, which epoll tells.
        if secure == nil { isOpen() } else { state = .handshaking }
    }
}
