internal import CLinux
internal import Glibc

extension Connection {
    /// Queues bytes. They leave together with everything else that is written until the handler returns, or the turn ends.
    package func write(_ bytes: [UInt8]) { write(bytes[...]) }

    /// Queues bytes without copying them if they are many.
    package func write(_ bytes: ArraySlice<UInt8>) {
        guard !isClosing else { return }
        output.append(bytes, on: core)
        noteOutput()
    }

    /// Queues a copy of bytes.
    package func write(_ bytes: Span<UInt8>) {
        guard !isClosing else { return }
        bytes.withUnsafeBufferPointer { output.append($0, on: core) }
        noteOutput()
    }

    /// What was written and the kernel hasn't taken.
    package var unsentBytes: Int { output.count }

    private func noteOutput() {
        if output.count > outputMark.high { isOverMark = true }
        if !isActive { setDue() }
    }

    /// Sends what is queued, as far as the kernel takes it.
    ///
    /// With TLS, up to 16 KiB become one record.
    package func flush() {
        guard state == .open || state == .closing, brokenBy == 0 else { return }
        while !isBlocked, !output.isEmpty {
            switch sendNext() {
            case .done(let count): output.remove(count, on: core)
            case .wantsWrite: isBlocked = true
            case .wantsRead:
                isBlocked = true
                writeWantsRead = true
            case .broken(let code): fail(code)
            case .ended, .truncated: fail(EPIPE)
            case .failed: return finish(.security(secure?.failure ?? ""))
            }
        }
        if isOverMark, output.count <= outputMark.low {
            isOverMark = false
            owesCanWrite = true
            if !isActive { setDue() }
        }
    }

    private func sendNext() -> SecureOutcome {
        guard let secure else { return sendClear() }
        return output.withNext(gathered: core.record) { bytes in
            secure.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(Core.recordBytes)))
        }
    }

    /// Several pieces leave by one call, without having been copied together.
    private func sendClear() -> SecureOutcome {
        let total = output.count
        return output.withVectors { vectors in
            let more = vectors.reduce(0) { $0 + $1.iov_len } < total ? Int32(MSG_MORE) : 0
            let flags = Int32(MSG_NOSIGNAL) | more
            let count: Int
            if vectors.count == 1 {
                count = send(descriptor, vectors[0].iov_base, vectors[0].iov_len, flags)
            } else {
                var message = msghdr()
                message.msg_iov = vectors.baseAddress
                message.msg_iovlen = vectors.count
                count = sendmsg(descriptor, &message, flags)
            }
            if count >= 0 { return .done(count) }
            return errno == EAGAIN || errno == EINTR ? .wantsWrite : .broken(errno)
        }
    }

    private func fail(_ code: Int32) {
        brokenBy = code
        output.removeAll(on: core)
        if !isActive { setDue() }
    }
}
