import Statistics
import TestSupport
import Testing

/// Nothing that is released reveals what is withheld. The attacker knows the rule, and everything that was ever released.
struct DisclosureTests {
    typealias Count = PartRule.Count
    typealias Shown = PartRule.Shown

    @Test("counts are withheld below their minimum and rounded to the nearest multiple")
    func values() {
        let codes = Figure.codesMade.definition
        #expect([0, 9, 10, 12, 13, 17, 18].map(codes.value) == [nil, nil, 10, 10, 15, 15, 20])
        let warnings = Figure.warningsSent.definition
        #expect([-7, 19, 20, 24, 25].map(warnings.value) == [nil, nil, 20, 20, 30])
        #expect([0, 4, 5, 14].map(Figure.wrongEntries.definition.value) == [0, 0, 10, 10])
        #expect([0, 139, 140, 145].map(Figure.keysShared.definition.value) == [nil, nil, 140, 150])
        #expect([0, 49, 50, 54, 55].map(Figure.keysImported.definition.value) == [nil, nil, 50, 50, 60])
    }

    @Test("a share is a multiple of 5 and needs 50 codes")
    func shares() {
        #expect(ShareRule.share(of: 45, among: 45) == nil)
        #expect(ShareRule.share(of: 30, among: 50) == 60)
        #expect(ShareRule.share(of: 305, among: 445) == 70)
        #expect(ShareRule.share(of: 60, among: 50) == 100)
        #expect(ShareRule.share(of: 0, among: 50) == 0)
    }

    @Test("shares of a whole are shown together or not at all, whatever the noise did to a part")
    func sharesOfAWhole() {
        #expect(ShareRule.shares(of: [700, 250, 50], for: .resultDelay) == [70, 25, 5])
        #expect(ShareRule.shares(of: [1_000, -30, -7], for: .resultDelay) == [100, 0, 0])
        #expect(ShareRule.shares(of: [700, 250, 49], for: .resultDelay) == [nil, nil, nil])
        #expect(ShareRule.share(of: -12, among: 1_000, for: .shareTested) == 0)
        #expect(ShareRule.share(of: 412, among: 1_000, for: .shareTested) == 40)
    }

    // MARK: An attacker who tries every possibility

    /// What is released of some days and of the rest of their week.
    private struct Release: Hashable {
        let days: [Shown]
        let rest: Shown?

        init(_ days: [Count], by rule: PartRule, restIsRaw: Bool = false) {
            self.days = days.map(rule.day)
            let held = zip(days, self.days).filter { $1 == .nothing }.map(\.0)
            let counted = restIsRaw ? days : held
            rest = held.isEmpty ? nil : rule.week(counted.reduce(Count(all: 0, part: 0), +))
        }
    }

    /// The smallest number of values that remain possible for a withheld day as a whole, and whether each number below the
    /// minimum remains possible for each part of it.
    private func knowledge(
        days number: Int, atMost most: Int, by rule: PartRule, restIsRaw: Bool = false
    ) -> (fewestAll: Int, isFree: Bool) {
        let kinds = (0...most).flatMap { part in (0...most).map { Count(all: part + $0, part: part) } }
        var possible: [Release: (parts: [Set<Int>], others: [Set<Int>], all: [Set<Int>])] = [:]
        let none = [Set<Int>](repeating: [], count: number)
        var days = [Int](repeating: 0, count: number)
        repeat {
            let counts = days.map { kinds[$0] }
            let release = Release(counts, by: rule, restIsRaw: restIsRaw)
            let held = zip(counts, release.days).filter { $1 == .nothing }.map(\.0.all)
            // Up to here no day is limited by what this test tries.
            guard held.reduce(0, +) <= most else { continue }
            var known = possible[release] ?? (none, none, none)
            for (day, count) in counts.enumerated() where release.days[day] == .nothing {
                known.parts[day].insert(count.part)
                known.others[day].insert(count.all - count.part)
                // A single day that isn't shown is the rest of its week.
                if held.count > 1 || release.rest == .nothing { known.all[day].insert(count.all) }
            }
            possible[release] = known
        } while Self.advance(&days, below: kinds.count)
        let parts = possible.values.flatMap { $0.parts + $0.others }.filter { !$0.isEmpty }
        let all = possible.values.flatMap(\.all).filter { !$0.isEmpty }
        return (
            all.map(\.count).min() ?? 0,
            parts.allSatisfy { $0.isSuperset(of: 0..<rule.minimum) }
        )
    }

    /// The next combination; false after the last.
    private static func advance(_ digits: inout [Int], below base: Int) -> Bool {
        for place in digits.indices {
            digits[place] += 1
            if digits[place] < base { return true }
            digits[place] = 0
        }
        return false
    }

    @Test(
        "whoever tries all possible weeks can't exclude a single small number for a withheld part of a day",
        arguments: [(1, 2, 9), (2, 2, 9), (3, 2, 6), (2, 3, 9)])
    func exhaustive(days: Int, minimum: Int, most: Int) {
        // Not rounded: the attacker knows each released value exactly.
        let known = knowledge(days: days, atMost: most, by: PartRule(minimum: minimum, rounding: 1))
        #expect(known.isFree)
        #expect(known.fewestAll >= minimum)
    }

    @Test("control: a week's total that contains its days reveals a withheld one")
    func totals() {
        let known = knowledge(
            days: 2, atMost: 5, by: PartRule(minimum: 2, rounding: 1), restIsRaw: true)
        #expect(!known.isFree)
    }

    // MARK: An attacker who adds and subtracts

    /// A released value: the atoms it counts, and the bounds of their sum.
    private struct Fact {
        let atoms: Set<String>
        let bounds: ClosedRange<Int>

        init(_ atoms: some Sequence<String>, about value: Int, rounding: Int) {
            self.atoms = Set(atoms)
            bounds = value - rounding / 2...value + (rounding - 1) / 2
        }
    }

    /// What sums and differences of the facts say of a set of atoms. Each is 0 or more.
    private func bounds(of atoms: Set<String>, by facts: [Fact]) -> ClosedRange<Int> {
        var (least, most) = (0, Int.max)
        for fact in facts where fact.atoms.isSuperset(of: atoms) {
            var (rest, low, high) = (fact.atoms.subtracting(atoms), fact.bounds.lowerBound, fact.bounds.upperBound)
            for other in facts where !other.atoms.isEmpty && rest.isSuperset(of: other.atoms) {
                rest.subtract(other.atoms)
                low -= other.bounds.upperBound
                high -= other.bounds.lowerBound
            }
            most = min(most, high)
            if rest.isEmpty { least = max(least, low) }
        }
        return least...max(least, most)
    }

    /// Random days of an authority of any size, with quiet days in between.
    private func week(_ randomness: inout SeededGenerator) -> [Count] {
        let size = [4, 12, 25, 60, 400].randomElement(using: &randomness) ?? 0
        return (0..<7).map { _ in
            let all = Int.random(in: 0...size, using: &randomness)
            return Count(all: all, part: Int.random(in: all / 3...all, using: &randomness))
        }
    }

    /// The parts of days and weeks that are withheld although sums and differences bound them too closely.
    private func revealed(_ days: [Count], restIsRaw: Bool) -> Int {
        let rule = PartRule.codes
        let release = Release(days, by: rule, restIsRaw: restIsRaw)
        var facts: [Fact] = []
        func atoms(_ days: [Int], _ parts: [String]) -> Set<String> {
            Set(days.flatMap { day in parts.map { "\($0) \(day)" } })
        }
        func note(_ shown: Shown, _ days: [Int]) {
            if let all = shown.all {
                facts.append(Fact(atoms(days, ["redeemed", "left"]), about: all, rounding: rule.rounding))
            }
            if let part = shown.part {
                facts.append(Fact(atoms(days, ["redeemed"]), about: part, rounding: rule.rounding))
            }
        }
        let held = days.indices.filter { release.days[$0] == .nothing }
        for day in days.indices { note(release.days[day], [day]) }
        if let rest = release.rest { note(rest, restIsRaw ? Array(days.indices) : held) }
        // Made minus redeemed, of the same days: what is left.
        let differences = facts.flatMap { whole in
            facts.filter { whole.atoms.isStrictSuperset(of: $0.atoms) }.map { part in
                (whole.atoms.subtracting(part.atoms), whole.bounds, part.bounds)
            }
        }
        for (atoms, whole, part) in differences {
            let low = max(0, whole.lowerBound - part.upperBound)
            facts.append(
                Fact(atoms, about: low, rounding: 2 * max(0, whole.upperBound - part.lowerBound - low) + 1))
        }
        return held.flatMap { day in ["redeemed", "left"].map { atoms([day], [$0]) } }.count { part in
            let known = bounds(of: part, by: facts)
            return known.lowerBound > 0 || known.upperBound < rule.minimum - 1
        }
    }

    @Test("over random weeks no sum or difference of released values bounds a withheld one")
    func sums() {
        var randomness = SeededGenerator(seed: 18)
        for _ in 0..<3000 { #expect(revealed(week(&randomness), restIsRaw: false) == 0) }
    }

    @Test("control: over random weeks totals with their days in them do")
    func sumsOfTotals() {
        var randomness = SeededGenerator(seed: 18)
        let found = (0..<3000).map { _ in revealed(week(&randomness), restIsRaw: true) }.reduce(0, +)
        #expect(found > 100)
    }

    // MARK: Cells whose total is known elsewhere

    /// Whether somebody who knows the total of all cells, and tries all possibilities, can exclude any number below the minimum
    /// for a cell that is withheld. A total below the minimum excludes larger numbers by itself.
    private func excludes(_ rule: ([Int]) -> [Int?], cells number: Int, minimum: Int, most: Int) -> Bool {
        var possible: [[Int?]: [Set<Int>]] = [:]
        var cells = [Int](repeating: 0, count: number)
        repeat {
            let total = cells.reduce(0, +)
            // Up to here no cell is limited by what this test tries.
            guard total <= most else { continue }
            let shown = rule(cells)
            var known = possible[[total] + shown] ?? [Set<Int>](repeating: [], count: number)
            for cell in cells.indices where shown[cell] == nil { known[cell].insert(cells[cell]) }
            possible[[total] + shown] = known
        } while Self.advance(&cells, below: most + 1)
        return possible.contains { key, known in
            known.contains { !$0.isEmpty && !$0.isSuperset(of: 0..<min(minimum, (key[0] ?? 0) + 1)) }
        }
    }

    @Test("whoever knows the total of all cells can't exclude a small number for a withheld one", arguments: [2, 3])
    func cells(number: Int) {
        #expect(
            !excludes({ CellRule.shown($0, minimum: 3) ?? $0.map { _ in nil } }, cells: number, minimum: 3, most: 12))
    }

    @Test("control: without a second cell the total reveals the first, and the smallest as second tells too much")
    func cellsAlone() {
        func alone(_ cells: [Int]) -> [Int?] { cells.map { $0 < 3 ? nil : $0 } }
        func withSmallest(_ cells: [Int]) -> [Int?] {
            var shown = alone(cells)
            while [1, 2].contains(shown.count { $0 == nil }),
                zip(cells, shown).filter({ $1 == nil }).map(\.0).reduce(0, +) < 3
                    || shown.count(where: { $0 == nil }) == 1,
                let next = cells.indices.filter({ shown[$0] != nil }).min(by: { cells[$0] < cells[$1] })
            {
                shown[next] = nil
            }
            return shown
        }
        #expect(excludes(alone, cells: 3, minimum: 3, most: 12))
        #expect(excludes(withSmallest, cells: 3, minimum: 3, most: 12))
    }

    @Test("of one kind of test nothing says anything of another, and every cell has its place")
    func results() {
        let counts = [80, 3, 60, 554, 0, 0]
        #expect(CellRule.results(counts) == [nil, nil, 60, 550, nil, nil])
        #expect(ResultCells.cells.count == counts.count)
    }

    // MARK: Totals

    @Test("a week's total is the sum of what was released, and says whether something is missing")
    func weekTotals() throws {
        let monday = LocalDay(number: 20_780)
        func day(_ number: Int, _ value: Int?) -> ReleasedValue {
            ReleasedValue(.codesMade, "test", monday.advanced(by: number), .day, value)
        }
        let full = (0..<7).map { day($0, 20) }
        let quiet = (0..<7).map { day($0, $0 == 6 ? nil : 20) }
        let rest = ReleasedValue(.codesMade, "test", monday, .week, 15)
        let held = ReleasedValue(.codesMade, "test", monday, .week, nil)
        func total(_ values: [ReleasedValue]) -> WeekTotal? {
            WeekTotal(of: .codesMade, "test", in: monday.advanced(by: 2), values)
        }
        #expect(total(full).map { [$0.value, $0.isComplete ? 1 : 0] } == [140, 1])
        #expect(total(quiet + [rest]).map { [$0.value, $0.isComplete ? 1 : 0] } == [135, 1])
        #expect(total(quiet + [held]).map { [$0.value, $0.isComplete ? 1 : 0] } == [120, 0])
        #expect(total(Array(full.prefix(3))).map { [$0.value, $0.isComplete ? 1 : 0] } == [60, 0])
        #expect(total([held]) == nil)
    }
}
