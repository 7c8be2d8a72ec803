import Glibc

/// Reads a file, and nothing that only looks like one: reading a pipe or a device might never end.
package enum RegularFile {
    /// Why a file wasn't read.
    package enum Problem: Error, Equatable {
        /// It can't be opened or read.
        case unreadable
        /// It is a folder, a pipe or a device.
        case irregular
        /// It has more bytes than wanted.
        case tooLarge
    }

    /// The file's bytes; symbolic links are followed.
    ///
    /// - Parameters:
    ///   - limit: the most bytes that are accepted.
    ///   - check: looks at the open file, so that replacing the file meanwhile has no effect.
    package static func read<Refusal: Error>(
        _ path: String, limit: Int, check: (FileFacts) throws(Refusal) -> Void
    ) throws(Refusal) -> Result<[UInt8], Problem> {
        // O_NONBLOCK: don't wait for the writer of a named pipe, which is refused below.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .failure(.unreadable) }
        defer { close(descriptor) }
        guard let facts = FileFacts(of: descriptor) else { return .failure(.unreadable) }
        guard facts.isRegular else { return .failure(.irregular) }
        try check(facts)
        guard facts.size <= limit else { return .failure(.tooLarge) }
        // One byte more: what grows meanwhile is noticed, too.
        var bytes = [UInt8](repeating: 0, count: facts.size + 1)
        var filled = 0
        while true {
            let count = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .failure(.unreadable) }
            filled += count
            guard filled <= limit else { return .failure(.tooLarge) }
            if count == 0 {
                bytes.removeLast(bytes.count - filled)
                return .success(bytes)
            }
            if filled == bytes.count { bytes += [UInt8](repeating: 0, count: min(filled, 1 << 20)) }
        }
    }

    /// The file's bytes; symbolic links are followed.
    ///
    /// - Parameter limit: the most bytes that are accepted.
    package static func read(_ path: String, limit: Int) throws(Problem) -> [UInt8] {
        let result = read(path, limit: limit) { _ in }
        return try result.get()
    }
}
