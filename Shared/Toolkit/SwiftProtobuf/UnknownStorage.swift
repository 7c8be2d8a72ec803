/// A message's unknown fields, as they came over the wire.
///
/// They are written again behind the known ones, so that a message may pass through a program with an older schema.
public struct UnknownStorage: Hashable, Sendable {
    /// Their bytes, tags included.
    public private(set) var data: [UInt8] = []

    /// No unknown fields.
    public init() {}

    /// Adds a whole field.
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) { data += bytes }
}
