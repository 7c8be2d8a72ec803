internal import CLinux
internal import Glibc

/// Something that waits for events of a descriptor.
package class Watched {
    @exclusivity(unchecked) final var descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Called on the core with epoll's events.
    func ready(_ events: UInt32) {}
}

/// The descriptors that a core waits for (epoll(7), level-triggered but for the wake-ups).
struct WatchList {
    /// What has happened.
    enum Event {
        /// Another thread has work for the core.
        case wakeUp
        /// A descriptor is ready.
        case ready(Watched, UInt32)
        /// It was for somebody who is gone, although the number may be in use again.
        case stale
    }

    private struct Slot {
        var watched: Watched?
        var generation: UInt32 = 0
    }

    private let epoll: Int32
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: WatchList.most)
    /// By descriptor.
    private var slots: [Slot] = []
    /// How many descriptors are watched; nearly all are connections.
    private(set) var count = 0

    /// How many events a turn has at most.
    private static let most = 256
    private static let wakeUpToken = UInt64.max

    /// - Parameter wakeUp: an eventfd, which is written to when another thread has work.
    init(wakeUp: Int32) {
        epoll = linux_epoll_create()
        // Edge-triggered, every write is an event, and nobody has to read the counter, which 2^64 wake-ups would fill (eventfd(2)).
        let events = EPOLLIN.rawValue | EPOLLET.rawValue
        let status = linux_epoll_set(epoll, EPOLL_CTL_ADD, wakeUp, events, Self.wakeUpToken)
        guard status == 0 else { endProcess(because: "no descriptors left for a core") }
    }

    func end() {
        close(epoll)
        events.deallocate()
    }

    /// Waits for events, at most so long; -1 is forever.
    ///
    /// - Returns: how many there are.
    func wait(nanoseconds: Int64) -> Int {
        max(0, Int(linux_epoll_wait(epoll, events, Int32(Self.most), nanoseconds)))
    }

    /// One of the events that ``wait(nanoseconds:)`` has found, as things are now.
    func event(_ index: Int) -> Event {
        let token = linux_epoll_token(events + index)
        if token == Self.wakeUpToken { return .wakeUp }
        let slot = slots[Int(token & 0xFFFF_FFFF)]
        guard slot.generation == UInt32(token >> 32), let watched = slot.watched else { return .stale }
        return .ready(watched, events[index].events)
    }

    /// Starts to watch a descriptor.
    ///
    /// - Throws: without memory left, or when the user watches as many as may be (epoll_ctl(2), ENOSPC).
    mutating func add(_ watched: Watched, events: UInt32) throws(SocketProblem) {
        let index = Int(watched.descriptor)
        while slots.count <= index { slots.append(Slot()) }
        try control(EPOLL_CTL_ADD, watched, events)
        slots[index].watched = watched
        count += 1
    }

    /// Changes what a descriptor is watched for.
    func change(_ watched: Watched, events: UInt32) throws(SocketProblem) {
        try control(EPOLL_CTL_MOD, watched, events)
    }

    /// Ends watching, if it was begun. The caller then closes the descriptor, and epoll forgets it.
    mutating func remove(_ watched: Watched) {
        guard contains(watched) else { return }
        let index = Int(watched.descriptor)
        slots[index].watched = nil
        slots[index].generation &+= 1
        count -= 1
    }

    /// Whether a descriptor is watched.
    func contains(_ watched: Watched) -> Bool {
        let index = Int(watched.descriptor)
        return index < slots.count && slots[index].watched === watched
    }

    private func control(_ operation: Int32, _ watched: Watched, _ events: UInt32) throws(SocketProblem) {
        let index = Int(watched.descriptor)
        let token = UInt64(slots[index].generation) << 32 | UInt64(index)
        let status = linux_epoll_set(epoll, operation, watched.descriptor, events, token)
        guard status == 0 else { throw SocketProblem(code: errno) }
    }
}
