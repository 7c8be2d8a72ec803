/// First in, first out, with a way to leave from the middle.
struct WaitingLine<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Puts back one that had been taken from the front.
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

    /// Takes out all that satisfy the condition, in their order.
    mutating func removeAll(where condition: (Element) -> Bool) -> [Element] {
        let all = elements[head...].compactMap { $0 }
        elements = all.filter { !condition($0) }
        head = 0
        return all.filter(condition)
    }

    /// The least of some property of those who wait.
    func minimum<Value: Comparable>(of property: (Element) -> Value) -> Value? {
        elements[head...].lazy.compactMap { $0 }.map(property).min()
    }
}
