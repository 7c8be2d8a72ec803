/// A first-in-first-out queue from whose middle elements can be removed.
struct WaitQueue<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Puts an element back that was taken from the front.
    mutating func prepend(_ element: Element) {
        if head > 0 {
            head -= 1
            elements[head] = element
        } else {
            elements.insert(element, at: 0)
        }
    }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head].take()
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64, head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Removes and returns all elements that satisfy the condition, in their order.
    mutating func removeAll(where condition: (Element) -> Bool) -> [Element] {
        let all = elements[head...].compactMap { $0 }
        elements = all.filter { !condition($0) }
        head = 0
        return all.filter(condition)
    }

    /// The least value of a property of the elements.
    func minimum<Value: Comparable>(of property: (Element) -> Value) -> Value? {
        elements[head...].lazy.compactMap { $0 }.map(property).min()
    }
}
