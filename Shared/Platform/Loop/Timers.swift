/// Work that a core runs once at a moment, or not at all if it is cancelled.
///
/// It belongs to its core, like everything that isn't Sendable here.
package final class ScheduledWork {
    fileprivate let core: Core
    fileprivate(set) var moment: Moment = .distantFuture
    /// The index in the heap; negative if it isn't there.
    fileprivate var index = -1
    fileprivate var work: (() -> Void)?
    /// Whether it may be set again after it has run.
    private let isReused: Bool

    fileprivate init(_ core: Core, isReused: Bool = false, _ work: (() -> Void)?) {
        self.core = core
        self.isReused = isReused
        self.work = work
    }

    /// Forgets the work, unless it has run.
    package func cancel() {
        core.timers.remove(self)
        work = nil
    }

    fileprivate func fire() {
        let work = self.work
        if !isReused { self.work = nil }
        work?()
    }
}

/// A deadline that moves often and rarely expires.
///
/// Moving it costs an assignment: the core's timer isn't touched. If that fires before the deadline, it is set anew. Thousands of
/// deadlines share a few wake-ups of the core, because it expires up to a twentieth of a second late on cores with real time.
package final class Deadline {
    private var deadline: Moment?
    private let timer: ScheduledWork
    private let expired: () -> Void
    private static let step: UInt64 = 50_000_000

    /// - Parameter expired: called on the core when the deadline has passed, once for each that was set.
    package init(on core: Core, expired: @escaping () -> Void) {
        self.expired = expired
        timer = ScheduledWork(core, isReused: true, nil)
        timer.work = { [weak self] in self?.check() }
    }

    deinit {
        // Elsewhere the timer can't be touched; it finds nobody when it fires.
        if timer.core.isCurrent { timer.cancel() }
    }

    /// Sets or moves the deadline; nil removes it.
    package func set(_ deadline: Moment?) {
        self.deadline = deadline
        guard let deadline else { return }
        if timer.index >= 0, timer.moment <= deadline { return }
        timer.core.timers.remove(timer)
        start(deadline)
    }

    private func start(_ deadline: Moment) {
        var moment = deadline.nanoseconds
        if !timer.core.isManual, moment < .max - Self.step { moment = (moment / Self.step + 1) * Self.step }
        timer.core.timers.insert(timer, at: Moment(nanoseconds: moment))
    }

    private func check() {
        guard let deadline else { return }
        if deadline > timer.core.now { return start(deadline) }
        self.deadline = nil
        expired()
    }
}

/// A binary heap by moment. It keeps what it holds alive.
struct Timers {
    private struct Entry {
        var moment: Moment
        var work: Unmanaged<ScheduledWork>
    }

    private var entries: [Entry] = []

    var next: Moment? { entries.first?.moment }

    mutating func insert(_ work: ScheduledWork, at moment: Moment) {
        work.moment = moment
        entries.append(Entry(moment: moment, work: .passRetained(work)))
        rise(entries.count - 1)
    }

    mutating func remove(_ work: ScheduledWork) {
        let index = work.index
        guard index >= 0 else { return }
        take(index)
        Unmanaged.passUnretained(work).release()
    }

    /// Removes the earliest work if its moment has come. The caller runs it.
    mutating func popDue(at now: Moment) -> ScheduledWork? {
        guard let first = entries.first, first.moment <= now else { return nil }
        take(0)
        return first.work.takeRetainedValue()
    }

    private mutating func take(_ index: Int) {
        let removed = entries[index]
        removed.work._withUnsafeGuaranteedRef { $0.index = -1 }
        let last = entries.removeLast()
        guard index < entries.count else { return }
        entries[index] = last
        if index > 0, last.moment < entries[(index - 1) / 2].moment { rise(index) } else { sink(index) }
    }

    private mutating func rise(_ start: Int) {
        var index = start
        let entry = entries[index]
        while index > 0 {
            let parent = (index - 1) / 2
            guard entry.moment < entries[parent].moment else { break }
            place(entries[parent], at: index)
            index = parent
        }
        place(entry, at: index)
    }

    private mutating func sink(_ start: Int) {
        var index = start
        let entry = entries[index]
        while true {
            var child = 2 * index + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, entries[child + 1].moment < entries[child].moment { child += 1 }
            guard entries[child].moment < entry.moment else { break }
            place(entries[child], at: index)
            index = child
        }
        place(entry, at: index)
    }

    private mutating func place(_ entry: Entry, at index: Int) {
        entries[index] = entry
        entry.work._withUnsafeGuaranteedRef { $0.index = index }
    }
}

extension Core {
    /// Runs `work` at a moment, as exactly as the kernel allows. Call it on the core.
    @discardableResult
    package func at(_ moment: Moment, _ work: @escaping () -> Void) -> ScheduledWork {
        let scheduled = ScheduledWork(self, work)
        timers.insert(scheduled, at: moment)
        return scheduled
    }

    func runTimers() {
        while let work = timers.popDue(at: now) { work.fire() }
    }
}
