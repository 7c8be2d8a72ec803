internal import CLinux
internal import Glibc
internal import Synchronization

/// The cores of a process, one for each processor.
package final class Cores: Sendable {
    /// All cores, in a fixed order.
    package let all: [Core]
    private let turn = Atomic<Int>(0)

    /// The cores that everything in this process shares. `VIGIL_CORES` sets their number, for measurements.
    package static let shared = Cores(
        count: getenv("VIGIL_CORES").flatMap { Int(String(cString: $0)) } ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    /// Starts cores.
    ///
    /// - Parameter count: 1 to 256; a value outside counts as the nearest.
    package init(count: Int) {
        all = (0..<min(max(count, 1), 256)).map { _ in Core() }
    }

    /// One after another, for work that belongs to no connection.
    package func next() -> Core {
        let index = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return all[Int(UInt(bitPattern: index) % UInt(all.count))]
    }
}

/// A value that only its core may use, although it goes through Sendable closures.
///
/// `@unchecked Sendable`: each use checks that it happens on the core, and a wrong one ends the process.
package struct LocalTo<Value>: @unchecked Sendable {
    private let core: Core
    private let stored: Value

    /// Binds a value to a core. Call it on that core.
    package init(_ value: Value, on core: Core) {
        self.core = core
        stored = value
    }

    /// The value.
    package var value: Value {
        precondition(core.isCurrent, "a value of a core is used elsewhere")
        return stored
    }
}
