// Access to a message's property, of which only the message's module knows the type: inlined there, because here it would have to
// be looked up while the program runs.

extension Message {
    /// Gives access to the fields of the message that is in a field, or of a new one behind those that are.
    ///
    /// In place: what several parts merge isn't copied each time.
    @inlinable
    public static func merge(
        into place: UnsafeMutableRawPointer, _ shape: FieldShape, _ body: (UnsafeMutableRawPointer) throws -> Void
    ) rethrows {
        if case .presence = shape {
            let presence = place.assumingMemoryBound(to: Presence<Self>.self)
            if presence.pointee.value == nil { presence.pointee.value = Self() }
            try presence.pointee.value?.withFields(body)
        } else {
            let messages = place.assumingMemoryBound(to: [Self].self)
            messages.pointee.append(Self())
            try messages.pointee[messages.pointee.count - 1].withFields(body)
        }
    }

    /// Shows the message, or each message, that is in a field.
    @inlinable
    public static func show(
        _ place: UnsafeRawPointer, _ shape: FieldShape, _ body: (UnsafeRawPointer) throws -> Void
    ) rethrows {
        if case .presence = shape {
            try place.assumingMemoryBound(to: Presence<Self>.self).pointee.value?.withFields(reading: body)
        } else {
            try place.assumingMemoryBound(to: [Self].self).pointee.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return }
                for position in stride(from: 0, to: bytes.count, by: MemoryLayout<Self>.stride) {
                    try body(start + position)
                }
            }
        }
    }

    /// Gives access to the fields by their place within the message.
    @inlinable
    public mutating func withFields<Result>(_ body: (UnsafeMutableRawPointer) throws -> Result) rethrows -> Result {
        try withUnsafeMutablePointer(to: &self) { try body(UnsafeMutableRawPointer($0)) }
    }

    /// As ``withFields(_:)-swift.method``, to read only.
    @inlinable
    public func withFields<Result>(reading body: (UnsafeRawPointer) throws -> Result) rethrows -> Result {
        try withUnsafePointer(to: self) { try body(UnsafeRawPointer($0)) }
    }
}

extension Enum {
    /// Sets a field; false for a number that the enumeration can't hold.
    @inlinable
    public static func set(_ number: Int, _ shape: FieldShape, at place: UnsafeMutableRawPointer) -> Bool {
        guard let value = Self(rawValue: number) else { return false }
        if case .presence = shape {
            place.assumingMemoryBound(to: Presence<Self>.self).pointee.value = value
        } else {
            place.assumingMemoryBound(to: Self.self).pointee = value
        }
        return true
    }

    /// The number that is to be written of a field; nil for none.
    @inlinable
    public static func number(_ shape: FieldShape, at place: UnsafeRawPointer) -> Int? {
        if case .presence = shape {
            return place.assumingMemoryBound(to: Presence<Self>.self).pointee.value?.rawValue
        }
        let number: Int = place.assumingMemoryBound(to: Self.self).pointee.rawValue
        return number == 0 ? nil : number
    }
}
