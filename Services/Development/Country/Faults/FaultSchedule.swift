import CountryModel
import ExposureKeys

/// Which faults come when. The seed decides, so that a run can be repeated.
struct FaultSchedule: Sendable {
    /// A fault and its moment.
    struct Entry: Sendable, Equatable {
        let fault: InjectedFault
        /// 0 for the fold and the publication at the beginning of the hour, then the hour's quarters.
        let slot: Int
        /// Milliseconds of the machine's time after the slot's work has begun.
        let delay: Int
        /// Decides the details, such as which service is killed.
        let choice: Int
    }

    let faults: [InjectedFault]
    let seed: UInt64

    /// Each kind of fault comes twice a day on average.
    private static let chance = 12

    /// An hour's faults, one in a slot at most.
    func entries(in hour: Hour) -> [Entry] {
        var random = RandomStream(seed: seed, faultsIn: hour)
        var entries: [Entry] = []
        for fault in InjectedFault.allCases {
            // Drawn for all kinds, so that one kind more changes no other's moments.
            let isDue = Int.random(in: 0..<Self.chance, using: &random) == 0
            let entry = Entry(
                fault: fault, slot: fault.slots.randomElement(using: &random) ?? 1,
                delay: .random(in: 0..<400, using: &random), choice: .random(in: 0..<1_000_000, using: &random))
            guard isDue, faults.contains(fault), !entries.contains(where: { $0.slot == entry.slot }) else { continue }
            entries.append(entry)
        }
        return entries
    }
}

extension InjectedFault {
    /// The slots in which it can come, each as likely as the others. The clock goes back while phones ask: the driver itself waits for
    /// the hourly jobs by the clock. Distribution writes in the first slot alone.
    fileprivate var slots: [Int] {
        switch self {
        case .kill, .database: [0, 1, 2, 3, 4]
        case .disk: [0, 0, 0, 0, 1, 2, 3, 4]
        case .proxy, .laboratory, .clock: [1, 2, 3, 4]
        }
    }
}
