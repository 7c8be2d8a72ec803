import FoundationEssentials

/// The sealed entries that an operator hands to the auditor: a text file, one line an entry, which the operator can't read.
package struct AuditFile: Sendable {
    /// The day and the entry, in an order that says nothing about the time of day.
    package let entries: [(day: Int32, sealed: SealedEntry)]

    private static let title = "vigil audit 1"

    /// Creates a file of sealed entries.
    package init(_ entries: [(day: Int32, sealed: SealedEntry)]) { self.entries = entries }

    /// Reads a file; nil if it isn't one.
    package init?(_ text: String) {
        var lines = text.split(separator: "\n")[...]
        guard lines.popFirst() == Self.title[...] else { return nil }
        var entries: [(day: Int32, sealed: SealedEntry)] = []
        for line in lines {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let day = Int32(parts[0]), let data = Data(base64Encoded: String(parts[1])),
                let sealed = SealedEntry(bytes: Array(data))
            else { return nil }
            entries.append((day, sealed))
        }
        self.entries = entries
    }

    /// The file's content: a title, then a line of day (since 1970, UTC) and base64 for each entry.
    package var text: String {
        let lines = entries.map { "\($0.day) \(Data($0.sealed.bytes).base64EncodedString())" }
        return ([Self.title] + lines).map { "\($0)\n" }.joined()
    }
}
