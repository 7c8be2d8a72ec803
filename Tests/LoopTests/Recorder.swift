import Loop

/// A handler that writes down what happens to it.
final class Recorder: ConnectionHandler {
    private(set) var isOpen = false
    private(set) var received: [UInt8] = []
    /// The lengths that were offered.
    private(set) var offers: [Int] = []
    private(set) var inputEnds = 0
    private(set) var canWrites = 0
    private(set) var ends: [ConnectionEnd] = []
    /// How much it takes of an offer; by default all.
    var takes: (Int) -> Int = { $0 }
    var whenOpen: ((Connection) -> Void)?
    var whenReceived: ((Connection) -> Void)?
    var whenInputEnds: ((Connection) -> Void)? = { $0.close() }
    var whenWritable: ((Connection) -> Void)?
    var whenClosed: (() -> Void)?

    var text: String { String(decoding: received, as: UTF8.self) }
    var end: ConnectionEnd? { ends.first }

    func opened(_ connection: Connection) {
        isOpen = true
        whenOpen?(connection)
    }

    func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
        offers.append(bytes.count)
        let taken = takes(bytes.count)
        bytes.withUnsafeBufferPointer { received.append(contentsOf: $0.prefix(taken)) }
        whenReceived?(connection)
        return taken
    }

    func inputEnded(_ connection: Connection) {
        inputEnds += 1
        whenInputEnds?(connection)
    }

    func canWrite(_ connection: Connection) {
        canWrites += 1
        whenWritable?(connection)
    }

    func closed(_ connection: Connection, _ reason: ConnectionEnd) {
        ends.append(reason)
        whenClosed?()
    }
}

/// Two connections with each other on a manual core.
struct Pair {
    let core: Core
    let one: Connection
    let other: Connection
    let near = Recorder()
    let far = Recorder()

    init(on core: Core = Core(manual: Moment(nanoseconds: 1_000_000_000))) {
        self.core = core
        (one, other) = Connection.pair(on: core)
        one.start(near)
        other.start(far)
    }
}

extension Core {
    /// Turns until something is so; false if it isn't after ten seconds of the machine's time.
    func turns(until isSo: () -> Bool) -> Bool {
        let end = Moment.now() + .seconds(10)
        while !isSo() {
            if Moment.now() > end { return false }
            turn()
        }
        return true
    }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
