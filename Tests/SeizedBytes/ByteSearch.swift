package import ExposureKeys
package import FoundationEssentials
import Glibc

/// Finds where any of many strings of 16 bytes stand in raw files, whatever the files' format: what somebody does who holds a database
/// server's tables, log and backups.
package struct ByteSearch: Sendable {
    private let wanted: [KeyData]
    /// Numbers of the wanted strings by their first eight bytes.
    private let numbers: [UInt64: Int]
    /// A bit for each three bytes that a wanted string begins with: a look at it spares most of the look-ups.
    private let beginnings: [UInt64]

    /// - Parameter wanted: what is looked for.
    package init(for wanted: [KeyData]) {
        self.wanted = wanted
        var numbers: [UInt64: Int] = [:]
        var beginnings = [UInt64](repeating: 0, count: 1 << 18)
        for (number, bytes) in wanted.map(\.bytes).enumerated() {
            numbers[bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }] = number
            let beginning = bytes.prefix(3).reduce(0) { $0 << 8 | Int($1) }
            beginnings[beginning >> 6] |= 1 << (beginning & 63)
        }
        self.numbers = numbers
        self.beginnings = beginnings
    }

    /// Where each wanted string stands if the files are laid one behind the other, in ascending order.
    package func places(in files: [URL]) async throws -> [KeyData: [Int]] {
        let found = try await withThrowingTaskGroup(of: (Int, Found).self) { group in
            for (number, file) in files.enumerated() {
                group.addTask { (number, search(try Data(contentsOf: file))) }
            }
            return try await group.reduce(into: [Int: Found]()) { $0[$1.0] = $1.1 }
        }
        var places: [KeyData: [Int]] = [:]
        var start = 0
        for number in files.indices {
            guard let found = found[number] else { continue }
            for hit in found.hits { places[wanted[hit.number], default: []].append(start + hit.offset) }
            start += found.size
        }
        return places
    }

    private struct Found: Sendable {
        var hits: [(number: Int, offset: Int)] = []
        let size: Int
    }

    private func search(_ data: Data) -> Found {
        var found = Found(size: data.count)
        guard data.count >= KeyData.count else { return found }
        data.withUnsafeBytes { (buffer: UnsafeRawBufferPointer) in
            beginnings.withUnsafeBufferPointer { beginnings in
                guard let bytes = buffer.baseAddress, let bits = beginnings.baseAddress else { return }
                let end = buffer.count - KeyData.count
                var beginning = Int(buffer[0]) << 8 | Int(buffer[1])
                var offset = 0
                // Tens of millions of times: nothing here may be slow without optimisation.
                while offset <= end {
                    let next = (bytes + (offset &+ 2)).assumingMemoryBound(to: UInt8.self).pointee
                    beginning = (beginning &<< 8 | Int(truncatingIfNeeded: next)) & 0xff_ffff
                    if (bits + (beginning &>> 6)).pointee &>> UInt64(truncatingIfNeeded: beginning & 63) & 1 == 1 {
                        if let number = match(bytes + offset) { found.hits.append((number, offset)) }
                    }
                    offset = offset &+ 1
                }
            }
        }
        return found
    }

    private func match(_ bytes: UnsafeRawPointer) -> Int? {
        guard let number = numbers[bytes.loadUnaligned(as: UInt64.self)] else { return nil }
        let isEqual = wanted[number].bytes.withUnsafeBytes { wanted in
            wanted.baseAddress.map { memcmp($0, bytes, KeyData.count) == 0 } ?? false
        }
        return isEqual ? number : nil
    }
}
