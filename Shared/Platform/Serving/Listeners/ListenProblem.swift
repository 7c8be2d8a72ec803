import Glibc
import Running

/// A listener's port can't be opened.
package struct ListenProblem: OperatorProblem {
    package let description: String

    /// - Parameters:
    ///   - listener: its name; its settings are `<name>.host` and `<name>.port`.
    ///   - reason: the `errno` of the system call that failed.
    package init(port: Int, listener: String, host: String, serviceName: String, reason: CInt) {
        let place = "\(serviceName), \(listener) listener"
        description =
            switch reason {
            case EADDRINUSE:
                "Port \(port) (\(place)) is already in use; stop the other process or set "
                    + "\(listener).port."
            case EADDRNOTAVAIL:
                "The address \(host) (\(place)) does not belong to this machine; set \(listener).host."
            case EACCES:
                "Port \(port) (\(place)) needs more rights; set \(listener).port to one above 1023."
            default:
                "Port \(port) (\(place)) can't be opened (error \(reason)); set \(listener).port."
            }
    }
}
