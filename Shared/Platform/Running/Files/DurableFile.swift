package import FoundationEssentials
package import Glibc

/// Files that are complete or absent after a power failure.
package enum DurableFile {
    /// Writes a file beside its destination, makes it durable, renames it into place and makes the directory durable.
    ///
    /// A reader of the path sees either the old file or the new one.
    /// - Parameters:
    ///   - modified: the file's modification time in seconds since 1970, if it shall differ from the present.
    ///   - verified: whether to read the written file back and compare it before the rename.
    /// - Throws: ``FileProblem``; the old file stays unchanged.
    package static func write(
        _ bytes: some DataProtocol, to url: URL, mode: mode_t = 0o644, modified: Int? = nil, verified: Bool = false
    ) throws {
        let directory = url.deletingLastPathComponent()
        let temporary = directory.appending(path: ".\(url.lastPathComponent).\(UUID().uuidString)")
        let content = Array(bytes)
        do {
            try withDescriptor(temporary, O_RDWR | O_CREAT | O_EXCL, mode: mode) { descriptor in
                try writeAll(content, to: descriptor)
                if verified { try compare(content, with: descriptor) }
                if let modified {
                    let time = timespec(tv_sec: modified, tv_nsec: 0)
                    try check(futimens(descriptor, [time, time]))
                }
                try check(fsync(descriptor))
            }
            try check(rename(temporary.path, url.path))
        } catch {
            unlink(temporary.path)
            throw error
        }
        try synchronise(directory)
    }

    /// Whether a file is a leftover of ``write(_:to:mode:modified:verified:)``, because the process was killed.
    package static func isUnfinished(_ url: URL) -> Bool {
        let name = url.lastPathComponent
        return name.hasPrefix(".") && UUID(uuidString: String(name.suffix(36))) != nil
    }

    /// Removes a file durably; a missing one is no error.
    package static func remove(_ url: URL) throws {
        guard unlink(url.path) == 0 else {
            if errno == ENOENT { return }
            throw FileProblem(number: errno)
        }
        try synchronise(url.deletingLastPathComponent())
    }

    /// Overwrites a file's bytes with zeros and then removes it durably; a missing one is no error.
    ///
    /// Storage that writes copies (flash, snapshots) may still keep the old blocks.
    package static func shred(_ url: URL) throws {
        do {
            try withDescriptor(url, O_WRONLY, mode: 0) { descriptor in
                let size = lseek(descriptor, 0, SEEK_END)
                try check(Int32(clamping: size))
                try writeAll([UInt8](repeating: 0, count: Int(size)), to: descriptor)
                try check(fsync(descriptor))
            }
        } catch let problem as FileProblem where problem.number == ENOENT {
            return
        }
        try remove(url)
    }

    /// Makes the names in a directory durable.
    private static func synchronise(_ directory: URL) throws {
        try withDescriptor(directory, O_RDONLY | O_DIRECTORY, mode: 0) { try check(fsync($0)) }
    }

    private static func withDescriptor(
        _ url: URL, _ flags: Int32, mode: mode_t, _ body: (Int32) throws -> Void
    ) throws {
        let descriptor = open(url.path, flags | O_CLOEXEC, mode)
        try check(descriptor)
        defer { close(descriptor) }
        try body(descriptor)
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(written))
            }
            if count < 0, errno == EINTR { continue }
            try check(Int32(clamping: count))
            written += count
        }
    }

    /// Reads a file from its beginning; anything but exactly these bytes is an input/output error.
    private static func compare(_ bytes: [UInt8], with descriptor: Int32) throws {
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        var position = 0
        while true {
            let count = pread(descriptor, &piece, piece.count, off_t(position))
            if count < 0, errno == EINTR { continue }
            try check(Int32(clamping: count))
            guard position + count <= bytes.count,
                bytes[position..<position + count].withUnsafeBytes({ expected in
                    // Nil if nothing is left.
                    expected.baseAddress.map { memcmp($0, piece, count) == 0 } ?? true
                })
            else { throw FileProblem(number: EIO) }
            if count == 0 { break }
            position += count
        }
        guard position == bytes.count else { throw FileProblem(number: EIO) }
    }

    private static func check(_ result: Int32) throws {
        guard result >= 0 else { throw FileProblem(number: errno) }
    }
}

/// A file operation failed.
///
/// The error names the reason, never the file: a file's name may reveal more than a log should contain.
package struct FileProblem: OperatorProblem, Equatable {
    /// The system's error number.
    package let number: Int32

    /// From what `errno` was.
    package init(number: Int32) { self.number = number }

    package var description: String { String(cString: strerror(number)) }
}
