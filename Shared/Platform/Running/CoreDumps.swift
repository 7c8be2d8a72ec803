import CHardening
import Glibc

/// Keeps a process's memory, where addresses, tokens and keys are, from ever becoming a file.
enum CoreDumps {
    /// Switches core dumps off for good, also for children, and lets only root read this process's memory.
    ///
    /// - Throws: ``ConfigurationProblem`` when the system refuses either.
    static func switchOff() throws(ConfigurationProblem) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        guard setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0, vigil_make_undumpable() == 0 else {
            throw ConfigurationProblem(
                "The system does not let this process switch its core dumps off (error \(errno)).")
        }
    }
}
