import CHardening
import Glibc

/// Prevents a process's memory, which holds addresses, tokens and keys, from being written to a file.
enum CoreDumps {
    /// Disables core dumps permanently, for child processes as well, and lets only root read this process's memory.
    ///
    /// - Throws: ``ConfigurationProblem`` if the system refuses either.
    static func switchOff() throws(ConfigurationProblem) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        guard setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0, vigil_make_undumpable() == 0 else {
            throw ConfigurationProblem(
                "The system does not let this process switch its core dumps off (error \(errno)).")
        }
    }
}
