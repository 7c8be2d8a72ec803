/// Values that are kept for a while, at most a number of them: the oldest gives way to a new one.
struct Bounded<Value: Sendable>: Sendable {
    private var values: [String: Value] = [:]
    private var order: [String] = []
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The value of a name. A new name must not have been used before.
    subscript(name: String) -> Value? {
        get { values[name] }
        set {
            if newValue != nil, values[name] == nil { append(name) }
            values[name] = newValue
        }
    }

    /// All values.
    var all: [Value] { Array(values.values) }

    private mutating func append(_ name: String) {
        order.append(name)
        if values.count >= capacity, let oldest = order.first(where: { values[$0] != nil }) { values[oldest] = nil }
        if order.count >= 2 * capacity {
            order = order.dropLast().filter { values[$0] != nil } + [name]
        }
    }
}
