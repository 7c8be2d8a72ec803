import Glibc

/// Starts a thread that calls `body` once.
func startThread(_ body: @escaping @Sendable () -> Void) {
    // The thread's only argument is a reference that it takes over.
    let argument = Unmanaged.passRetained(ThreadBody(call: body)).toOpaque()
    var thread = pthread_t()
    let failure = pthread_create(
        &thread, nil,
        { argument in
            // Other threads handle signals.
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, nil)
            guard let argument else { return nil }
            Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().call()
            return nil
        }, argument)
    // Without memory or a process table entry for the thread the pool can't work.
    precondition(failure == 0, "no thread for a database connection")
    pthread_detach(thread)
}

/// The body of a new thread, in a form that C can carry.
private final class ThreadBody: Sendable {
    let call: @Sendable () -> Void

    init(call: @escaping @Sendable () -> Void) {
        self.call = call
    }
}
