import Glibc

/// The file descriptor limit of this process. A server that runs out of descriptors would stop accepting permanently.
package enum FileDescriptors {
    /// The limit, raised as far as the system allows.
    package static let limit: Int = {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = min(limit.rlim_max, 65_536)
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(min(limit.rlim_cur, 1_000_000))
    }()

    /// The maximum number of connections of a listener with these limits.
    ///
    /// By default a quarter of all files each for three busy listeners, and the last quarter for files, databases and calls.
    static func connections(_ limits: Limits) -> Int {
        min(limits.connections, max(64, limits.otherFiles.map { limit - $0 } ?? limit / 4))
    }
}
