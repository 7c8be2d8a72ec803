/// A message's unknown fields, as they came over the wire.
///
/// They are written again behind the known ones, so that a message may pass through a program with an older schema.
package struct UnknownStorage: Hashable, Sendable {
    /// Their bytes, tags included.
    package private(set) var data: [UInt8] = []

    /// No unknown fields.
    package init() {}

    /// Shows them to a visitor, if there are any.
    package func traverse<V: Visitor>(visitor: inout V) throws {
        guard !data.isEmpty else { return }
        try visitor.visitUnknown(bytes: data)
    }

    /// Adds whole fields.
    package mutating func append(_ bytes: [UInt8]) { data += bytes }
}
