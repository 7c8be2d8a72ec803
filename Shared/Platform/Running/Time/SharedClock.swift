package import FoundationEssentials
import Glibc

/// A clock that several processes share, and that one of them moves while they run: the simulated country's time.
///
/// It is a file with one number: by how many milliseconds the clocks are ahead of the machine's, 64 bits in little endian. The number is read at
/// each look at the clock and replaced by one write, so every process sees the old time or the new one. For rehearsals only:
/// `DatabaseClock` refuses a moved clock unless the database is a rehearsal's.
package final class SharedClock: Sendable {
    private let file: Int32

    /// How often a sleeper looks at the clock: a job that became due because the clock was moved starts within this time.
    private static let look = Duration.milliseconds(10)

    /// Opens a file that another process moves.
    /// - Throws: ``ConfigurationProblem`` unless the file exists and holds a number.
    package init(path: String) throws {
        file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Self.problem("can't be opened: \(String(cString: strerror(errno)))") }
        guard Self.milliseconds(in: file) != nil else { throw Self.problem("doesn't hold 8 bytes") }
    }

    /// Opens or creates the file to move it. A new one moves nothing.
    package init(moving path: String) throws {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw Self.problem("can't be opened: \(String(cString: strerror(errno)))") }
        if Self.milliseconds(in: file) == nil { try move(by: 0) }
    }

    deinit {
        close(file)
    }

    /// Sets by how many seconds the clocks are ahead of the machine's.
    package func move(by seconds: TimeInterval) throws {
        var number = Int64((seconds * 1000).rounded()).littleEndian
        guard pwrite(file, &number, MemoryLayout<Int64>.size, 0) == MemoryLayout<Int64>.size else {
            throw Self.problem("can't be written: \(String(cString: strerror(errno)))")
        }
    }

    /// Moves the clocks to an instant, from which they go on like the machine's.
    package func move(to instant: Date) throws {
        try move(by: instant.timeIntervalSinceNow)
    }

    /// By how many seconds the clocks are ahead.
    package var movedBy: TimeInterval {
        TimeInterval(Self.milliseconds(in: file) ?? 0) / 1000
    }

    /// The clock that the file moves.
    package var clock: WallClock {
        WallClock(
            { Date().addingTimeInterval(self.movedBy) }, movedBy: { self.movedBy }, lookingEvery: Self.look)
    }

    private static func milliseconds(in file: Int32) -> Int64? {
        var number: Int64 = 0
        guard pread(file, &number, MemoryLayout<Int64>.size, 0) == MemoryLayout<Int64>.size else { return nil }
        return Int64(littleEndian: number)
    }

    private static func problem(_ reason: String) -> ConfigurationProblem {
        ConfigurationProblem("clock.file \(reason)")
    }
}
