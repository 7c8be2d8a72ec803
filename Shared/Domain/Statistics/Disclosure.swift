extension FigureDefinition {
    /// The value to show for a count; nil if it is withheld.
    package func value(of count: Int) -> Int? { count < minimum ? nil : rounded(count) }

    /// The nearest multiple of the rounding; halves go up.
    package func rounded(_ count: Int) -> Int { (max(0, count) + rounding / 2) / rounding * rounding }
}

/// The rule for values of which one is part of another: codes made, of these redeemed, and the rest that nobody redeemed.
///
/// A day is shown if both its parts are large enough, else nothing of it. The days of a week that aren't shown are counted
/// together, once, as a value of the week. So each code is in one released value of each figure, and no released value contains
/// another one: there is nothing to subtract. Of the days counted together each may have had any number of either part.
package struct PartRule: Sendable {
    /// The smallest part that is shown.
    package let minimum: Int
    /// What values are rounded to.
    package let rounding: Int

    /// The rule of the codes.
    package static let codes = PartRule(
        minimum: Figure.codesMade.definition.minimum, rounding: Figure.codesMade.definition.rounding)

    /// Creates a rule with other numbers.
    package init(minimum: Int, rounding: Int) {
        self.minimum = minimum
        self.rounding = rounding
    }

    /// A number of things, and how many of them have a property.
    package struct Count: Sendable, Equatable {
        /// All of them.
        package var all: Int
        /// Those with the property.
        package var part: Int

        /// Creates a count from its parts.
        package init(all: Int, part: Int) {
            self.all = all
            self.part = part
        }

        /// The sum of both.
        package static func + (one: Count, other: Count) -> Count {
            Count(all: one.all + other.all, part: one.part + other.part)
        }
    }

    /// A count as it is shown.
    package struct Shown: Sendable, Hashable {
        /// About all of them; nil if withheld.
        package let all: Int?
        /// About those with the property; nil if withheld.
        package let part: Int?

        /// Nothing.
        package static let nothing = Shown(all: nil, part: nil)
    }

    /// What is shown of a day: all or nothing.
    package func day(_ count: Count) -> Shown {
        isShown(count) ? Shown(all: rounded(count.all), part: rounded(count.part)) : .nothing
    }

    /// What is shown of the days of a week that aren't shown, together; also of whole weeks, if days aren't shown at all.
    package func week(_ rest: Count) -> Shown {
        guard rest.all >= minimum else { return .nothing }
        return Shown(all: rounded(rest.all), part: isShown(rest) ? rounded(rest.part) : nil)
    }

    /// Both parts are large enough.
    private func isShown(_ count: Count) -> Bool { min(count.part, count.all - count.part) >= minimum }

    private func rounded(_ count: Int) -> Int { (count + rounding / 2) / rounding * rounding }
}

/// The rule for the share of released values: it can't reveal more than they do.
package enum ShareRule {
    /// Of 100, in steps of 5; nil if fewer were released than the figure's minimum.
    package static func share(of part: Int, among all: Int, for figure: Figure = .shareRedeemed) -> Int? {
        let definition = figure.definition
        guard all >= definition.minimum else { return nil }
        let steps = 100 / definition.rounding
        return min(steps, (2 * steps * max(0, part) + all) / (2 * all)) * definition.rounding
    }

    /// The share of each part of a whole: all of them or none, because the last one is the difference to 100.
    /// - Parameter parts: counts with their noise, so they may be negative.
    package static func shares(of parts: [Int], for figure: Figure) -> [Int?] {
        let all = parts.map { max(0, $0) }.reduce(0, +)
        return parts.map { share(of: $0, among: all, for: figure) }
    }
}

/// The rule for cells whose sum may be known elsewhere: a cell that alone is withheld would be the difference.
package enum CellRule {
    /// The counts of one kind, if each is large enough; else none. So whoever knows their sum, too, can't exclude any number
    /// below the minimum for any of them. Withholding only the small ones and the smallest of the others would show more, but
    /// then their order tells which is which.
    package static func shown(_ cells: [Int], minimum: Int) -> [Int]? {
        cells.allSatisfy { $0 >= minimum } ? cells : nil
    }

    /// The values to show for the results of a week, in the order of ``ResultCells/cells``.
    package static func results(_ counts: [Int]) -> [Int?] {
        let definition = Figure.resultsPosted.definition
        let size = ResultCells.results.count
        return stride(from: 0, to: counts.count, by: size).flatMap { first -> [Int?] in
            let cells = Array(counts[first..<min(first + size, counts.count)])
            return shown(cells, minimum: definition.minimum)?.map(definition.rounded) ?? cells.map { _ in nil }
        }
    }
}
