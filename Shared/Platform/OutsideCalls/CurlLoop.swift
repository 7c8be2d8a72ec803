import CCurl
import Glibc
import Loop
import Synchronization

/// A thread that carries out many transfers of libcurl at once, and keeps their connections.
///
/// `@unchecked Sendable`: only its thread uses `multi` and the transfers; what others tell it is behind the mutex.
final class CurlLoop: @unchecked Sendable {
    /// A transfer, and who waits for it.
    struct Job: Sendable {
        let plan: CurlTransfer.Plan
        let caller: CheckedContinuation<Result<OutsideResponse, OutsideProblem>, Never>
    }

    private struct State {
        /// Not yet seen by the thread.
        var new: [Job] = []
        /// All that have no answer.
        var count = 0
        var isClosed = false
        /// The thread has ended: `multi` is gone.
        var isOver = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    private struct Running {
        let transfer: CurlTransfer
        let job: Job
    }

    private let multi: UnsafeMutableRawPointer
    private let state = Mutex(State())

    /// The most transfers at one time; more are refused.
    private static let mostTransfers = 4096
    /// The most connections to one server. One of HTTP/2 carries up to a hundred transfers.
    private static let connections = 32

    /// Starts the thread; nil if there can't be one. It ends by ``close()``.
    init?() {
        guard CurlTransfer.isReady, let multi = curl_multi_init() else { return nil }
        vigil_curl_multi_set_number(multi, CURLMOPT_MAX_HOST_CONNECTIONS, Self.connections)
        self.multi = multi
        var thread = pthread_t()
        let own = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread, nil,
            { own in
                guard let own else { return nil }
                Unmanaged<CurlLoop>.fromOpaque(own).takeRetainedValue().run()
                return nil
            }, own.toOpaque())
        guard status == 0 else {
            own.release()
            curl_multi_cleanup(multi)
            return nil
        }
        pthread_detach(thread)
    }

    /// Carries out a transfer. Its caller gets exactly one answer.
    func add(_ job: Job) {
        let refusal: OutsideProblem? = state.withLock { state in
            guard !state.isClosed else { return .cancelled }
            guard state.count < Self.mostTransfers else { return .busy }
            state.count += 1
            state.new.append(job)
            curl_multi_wakeup(multi)
            return nil
        }
        if let refusal { job.caller.resume(returning: .failure(refusal)) }
    }

    /// Lets the thread look for what has changed.
    func wakeUp() {
        state.withLock { state in
            if !state.isOver { curl_multi_wakeup(multi) }
        }
    }

    /// Ends the transfers, the connections and the thread.
    func close() async {
        await withCheckedContinuation { closer in
            let isOver = state.withLock { state in
                guard !state.isOver else { return true }
                state.isClosed = true
                state.closers.append(closer)
                curl_multi_wakeup(multi)
                return false
            }
            if isOver { closer.resume() }
        }
    }

    // MARK: On the thread

    private func run() {
        var running: [UnsafeMutableRawPointer: Running] = [:]
        while true {
            let (new, isClosed) = state.withLock { state in
                defer { state.new = [] }
                return (state.new, state.isClosed)
            }
            for job in new { start(job, &running) }
            if isClosed { break }
            var active: Int32 = 0
            curl_multi_perform(multi, &active)
            finish(&running)
            let wait = giveUp(&running)
            curl_multi_poll(multi, nil, 0, wait, nil)
        }
        for one in running.values { end(one, .failure(.cancelled)) }
        curl_multi_cleanup(multi)
        let closers = state.withLock { state in
            state.isOver = true
            return state.closers
        }
        for closer in closers { closer.resume() }
    }

    private func start(_ job: Job, _ running: inout [UnsafeMutableRawPointer: Running]) {
        do throws(OutsideProblem) {
            let transfer = try CurlTransfer(job.plan)
            try transfer.prepare()
            guard curl_multi_add_handle(multi, transfer.handle) == CURLM_OK else { throw .noConnection }
            running[transfer.handle] = Running(transfer: transfer, job: job)
        } catch {
            answer(job, .failure(error))
        }
    }

    /// Answers the callers whose transfers have ended.
    private func finish(_ running: inout [UnsafeMutableRawPointer: Running]) {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
                let one = running.removeValue(forKey: handle)
            else { continue }
            // Removing the handle ends the message's life.
            let code = message.pointee.data.result
            end(one, Result { () throws(OutsideProblem) in try one.transfer.answer(after: code) })
        }
    }

    /// Ends what was cancelled or is late. libcurl watches the deadline as well, but not of transfers that wait for a connection.
    ///
    /// - Returns: in how many milliseconds to look again.
    private func giveUp(_ running: inout [UnsafeMutableRawPointer: Running]) -> Int32 {
        let now = Moment.now()
        var next = Duration.seconds(60)
        for (handle, one) in running {
            let left = one.job.plan.end - now
            let isCancelled = one.job.plan.isCancelled.isSet
            guard isCancelled || left <= .zero else {
                next = min(next, left)
                continue
            }
            running[handle] = nil
            end(one, .failure(isCancelled ? .cancelled : .timedOut))
        }
        return Int32(next / .milliseconds(1)) + 1
    }

    private func end(_ one: Running, _ result: Result<OutsideResponse, OutsideProblem>) {
        curl_multi_remove_handle(multi, one.transfer.handle)
        answer(one.job, result)
    }

    private func answer(_ job: Job, _ result: Result<OutsideResponse, OutsideProblem>) {
        state.withLock { $0.count -= 1 }
        job.caller.resume(returning: result)
    }
}
