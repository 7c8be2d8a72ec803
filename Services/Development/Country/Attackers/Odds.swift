/// How much more often something looks in some way if it is what an attacker looks for, learned from examples.
struct Odds<Appearance: Hashable> {
    private var wanted: [Appearance: Double] = [:]
    private var others: [Appearance: Double] = [:]
    private let sums: (wanted: Double, others: Double)

    init(of examples: [Appearance], against others: [Appearance]) {
        for example in examples { wanted[example, default: 0] += 1 }
        for other in others { self.others[other, default: 0] += 1 }
        sums = (Double(examples.count + 1), Double(others.count + 1))
    }

    /// An appearance that was never seen says nothing.
    subscript(appearance: Appearance) -> Double {
        ((wanted[appearance] ?? 0) + 1) / sums.wanted / (((others[appearance] ?? 0) + 1) / sums.others)
    }
}
