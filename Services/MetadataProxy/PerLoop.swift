import NIOCore

/// One value for each event loop of a group, created on first use. It never leaves its loop.
struct PerLoop<Value>: Sendable {
    private let boxes: [ObjectIdentifier: NIOLoopBoundBox<Value?>]

    init(_ group: any EventLoopGroup) {
        boxes = Dictionary(
            uniqueKeysWithValues: group.makeIterator().map {
                (ObjectIdentifier($0), NIOLoopBoundBox.makeEmptyBox(valueType: Value.self, eventLoop: $0))
            })
    }

    /// The number of event loops.
    var count: Int { boxes.count }

    /// The value of an event loop, on which this must be called.
    func value(on loop: any EventLoop, make: () throws -> Value) rethrows -> Value {
        let box = box(of: loop)
        if let value = box.value { return value }
        let value = try make()
        box.value = value
        return value
    }

    /// Calls a closure with each value that exists, on its loop.
    func forEach(_ body: @escaping @Sendable (Value) -> Void) async throws {
        for box in boxes.values {
            try await box.eventLoop.submit { if let value = box.value { body(value) } }.get()
        }
    }

    private func box(of loop: any EventLoop) -> NIOLoopBoundBox<Value?> {
        guard let box = boxes[ObjectIdentifier(loop)] else {
            preconditionFailure("The event loop is not one of the group's.")
        }
        return box
    }
}
