import NIOCore

/// One value for each event loop of a group, made when it is first asked for; it never leaves its loop.
struct PerLoop<Value>: Sendable {
    private let boxes: [ObjectIdentifier: NIOLoopBoundBox<Value?>]

    init(_ group: any EventLoopGroup) {
        boxes = Dictionary(
            uniqueKeysWithValues: group.makeIterator().map {
                (ObjectIdentifier($0), NIOLoopBoundBox.makeEmptyBox(valueType: Value.self, eventLoop: $0))
            })
    }

    /// How many event loops there are.
    var count: Int { boxes.count }

    /// The value of the event loop on which this is called.
    func value(on loop: any EventLoop, make: () throws -> Value) rethrows -> Value {
        let box = box(of: loop)
        if let value = box.value { return value }
        let value = try make()
        box.value = value
        return value
    }

    /// Hands over the values that there are, each on its loop.
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
