/// A queue that takes elements at its end and gives them at its start, each in constant time.
///
/// A ring in one array that doubles when it is full. Elements are released as soon as they are removed. Storage only
/// grows: a queue has the bound of whoever fills it. It is public and inlinable, because unspecialised generic code in other modules costs
/// several times as much, and Swift 6.3.1 inlines nothing that is `package`.
@frozen
public struct Deque<Element> {
    /// The storage; its count is zero or a power of two. Free places are nil.
    @usableFromInline var ring: [Element?]
    @usableFromInline var start: Int
    @usableFromInline var used: Int

    /// An empty queue.
    @inlinable
    public init() {
        ring = []
        start = 0
        used = 0
    }

    /// How many elements it holds.
    @inlinable public var count: Int { used }

    /// Whether nothing is in the queue.
    @inlinable public var isEmpty: Bool { used == 0 }

    /// The element that comes out next.
    @inlinable public var first: Element? { isEmpty ? nil : ring[start] }

    /// The element that many places behind the first one.
    @inlinable
    public subscript(offset: Int) -> Element {
        get {
            guard offset < used, let element = ring[place(offset)] else {
                preconditionFailure("the queue has no such element")
            }
            return element
        }
        set {
            precondition(offset < used, "the queue has no such element")
            ring[place(offset)] = newValue
        }
    }

    /// Adds an element at the end.
    @inlinable
    public mutating func append(_ element: Element) {
        if used == ring.count { grow() }
        ring[place(used)] = element
        used += 1
    }

    /// Adds an element at the start.
    @inlinable
    public mutating func prepend(_ element: Element) {
        if used == ring.count { grow() }
        start = place(-1)
        ring[start] = element
        used += 1
    }

    /// Removes the first element; nil if there is none.
    @inlinable
    public mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = ring[start]
        ring[start] = nil
        start = place(1)
        used -= 1
        return element
    }

    /// Removes the first element, which there must be.
    @inlinable
    @discardableResult public mutating func removeFirst() -> Element {
        guard let element = popFirst() else { preconditionFailure("the queue is empty") }
        return element
    }

    /// Where the element that many places behind the first one is.
    @inlinable
    func place(_ offset: Int) -> Int { (start + offset) & (ring.count - 1) }

    @inlinable
    mutating func grow() {
        let room = isEmpty ? 8 : 2 * used
        var larger: [Element?] = []
        larger.reserveCapacity(room)
        for offset in 0..<used { larger.append(ring[place(offset)]) }
        larger.append(contentsOf: repeatElement(nil, count: room - used))
        ring = larger
        start = 0
    }
}

extension Deque: Sendable where Element: Sendable {}

extension Deque: ExpressibleByArrayLiteral {
    /// A queue of these elements, the first of which comes out next.
    @inlinable
    public init(arrayLiteral elements: Element...) {
        self.init()
        for element in elements { append(element) }
    }
}
