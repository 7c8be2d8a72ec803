/// The sum of a week's released values.
package struct WeekTotal: Sendable, Equatable {
    /// The sum; each part is rounded, so it isn't.
    package let value: Int
    /// Whether nothing of the week is withheld.
    package let isComplete: Bool

    /// The total of one figure's cell in the week that a day belongs to; nil if nothing of it is released.
    ///
    /// A value of the week counts what its days without a value had; there is none if every day has one.
    package init?(of figure: Figure, _ cell: String, in day: LocalDay, _ released: some Sequence<ReleasedValue>) {
        let own = released.filter { $0.figure == figure && $0.cell == cell && $0.start.monday == day.monday }
        let days = own.filter { $0.period == .day }
        let rest = own.first { $0.period == .week }
        let values = own.compactMap(\.value)
        guard !values.isEmpty else { return nil }
        value = values.reduce(0, +)
        isComplete = rest.map { $0.value != nil } ?? (days.count == 7 && days.allSatisfy { $0.value != nil })
    }
}
