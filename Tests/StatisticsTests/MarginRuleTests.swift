import Statistics
import TestSupport
import Testing

/// Tables with the sums of their rows and columns. The attacker adds and subtracts everything that is shown.
struct MarginRuleTests {
    private static let rule = MarginRule(minimum: 10, rounding: 1)

    /// Tables of random sizes, most of whose cells are large, and whose sums all are.
    private func tables(_ number: Int, seed: UInt64) -> [[[Int]]] {
        var randomness = SeededGenerator(seed: seed)
        return (0..<number).map { _ -> [[Int]] in
            let columns = Int.random(in: 2...5, using: &randomness)
            let small = [2, 5, 12].randomElement(using: &randomness) ?? 2
            return (0..<Int.random(in: 2...6, using: &randomness)).map { _ in
                (0..<columns).map { _ in
                    Int.random(in: 0..<small, using: &randomness) == 0
                        ? Int.random(in: -6...9, using: &randomness) : Int.random(in: 10...90, using: &randomness)
                }
            }
        }.filter { table in
            let sums = withSums(table)
            return sums.allSatisfy { $0[$0.count - 1] >= 10 } && sums[sums.count - 1].allSatisfy { $0 >= 10 }
        }
    }

    private func withSums(_ table: [[Int]]) -> [[Int]] {
        let rows = table.map { $0 + [$0.reduce(0, +)] }
        return rows + [(rows.first ?? []).indices.map { column in rows.map { $0[column] }.reduce(0, +) }]
    }

    /// What is shown if only small counts are withheld.
    private func alone(_ table: [[Int]]) -> [[Int?]] { withSums(table).map { $0.map { $0 < 10 ? nil : $0 } } }

    /// The withheld places that follow from the shown ones, by Gaussian elimination modulo a large prime.
    private func revealed(_ shown: [[Int?]]) -> Int {
        let prime = 2_147_483_647
        func power(_ base: Int, _ exponent: Int) -> Int {
            var (result, square, rest) = (1, base, exponent)
            while rest > 0 {
                if rest % 2 == 1 { result = result * square % prime }
                square = square * square % prime
                rest /= 2
            }
            return result
        }
        let (height, width) = (shown.count, shown[0].count)
        var unknown: [Int: Int] = [:]
        for row in 0..<height {
            for column in 0..<width where shown[row][column] == nil { unknown[row * width + column] = unknown.count }
        }
        let lines =
            (0..<height).map { row in (0..<width).map { row * width + $0 } }
            + (0..<width).map { column in (0..<height).map { $0 * width + column } }
        var system = lines.map { line in
            var equation = [Int](repeating: 0, count: unknown.count)
            for (index, place) in line.enumerated() {
                if let number = unknown[place] { equation[number] = index == line.count - 1 ? prime - 1 : 1 }
            }
            return equation
        }
        var rank = 0
        for column in 0..<unknown.count {
            guard let pivot = (rank..<system.count).first(where: { system[$0][column] != 0 }) else { continue }
            system.swapAt(rank, pivot)
            let inverse = power(system[rank][column], prime - 2)
            system[rank] = system[rank].map { $0 * inverse % prime }
            for row in system.indices where row != rank && system[row][column] != 0 {
                let factor = system[row][column]
                for index in system[row].indices {
                    system[row][index] = (system[row][index] + (prime - factor) * system[rank][index]) % prime
                }
            }
            rank += 1
        }
        return system.count { $0.count { $0 != 0 } == 1 }
    }

    /// The rows and columns whose sum is shown while that of their withheld counts is small.
    private func smallSums(_ shown: [[Int?]], _ counts: [[Int]]) -> Int {
        let (height, width) = (shown.count, shown[0].count)
        func held(_ places: [(Int, Int)]) -> [Int] {
            places.filter { shown[$0.0][$0.1] == nil }.map { counts[$0.0][$0.1] }
        }
        let rows = (0..<height).filter { shown[$0][width - 1] != nil }
            .map { row in held((0..<width - 1).map { (row, $0) }) }
        let columns = (0..<width).filter { shown[height - 1][$0] != nil }
            .map { column in held((0..<height - 1).map { ($0, column) }) }
        return (rows + columns).count { !$0.isEmpty && $0.reduce(0, +) < 10 }
    }

    @Test("over random tables no sum or difference of shown counts is a withheld one, or a small sum of them")
    func differences() {
        var (held, all) = (0, 0)
        for table in tables(800, seed: 4) {
            let shown = Self.rule.shown(table)
            let counts = withSums(table)
            #expect(revealed(shown) == 0)
            #expect(smallSums(shown, counts) == 0)
            for (shown, count) in zip(shown.joined(), counts.joined()) {
                #expect(shown == nil || shown == count)
                #expect(shown.map { $0 >= 10 } ?? true)
            }
            held += shown.joined().count { $0 == nil }
            all += counts.joined().count
        }
        // Something is left to be shown.
        #expect(held < all * 3 / 4)
    }

    @Test("control: if only small counts are withheld, subtraction finds many of them")
    func alone() {
        let found = tables(800, seed: 4).map { revealed(alone($0)) }.reduce(0, +)
        #expect(found > 400)
    }

    @Test("control: a second count in each row and column isn't enough when two groups of them share one")
    func bridge() {
        // Two squares of withheld counts, and one count that joins them.
        let squares = Set([[0, 0], [0, 1], [1, 0], [1, 1], [2, 2], [2, 3], [3, 2], [3, 3], [1, 2]])
        var table = [[Int]](repeating: [Int](repeating: 50, count: 5), count: 5)
        for place in squares { table[place[0]][place[1]] = 6 }
        #expect(revealed(alone(table)) == 1)
        #expect(revealed(Self.rule.shown(table)) == 0)
    }

    @Test("one small count takes the next in its row and in its column with it, however large they are, and no sum")
    func example() {
        let shown = Self.rule.shown([[3, 400, 50], [70, 20, 30], [11, 12, 13]])
        #expect(shown == [[nil, nil, 50, 453], [nil, nil, 30, 120], [11, 12, 13, 36], [84, 432, 93, 609]])
    }

    @Test("a row or column that is small as a whole is withheld, and no sum counts it")
    func small() {
        let shown = Self.rule.shown([[0, 0, 0], [40, 1, 50], [60, 2, 70]])
        #expect(shown == [[nil, nil, nil, nil], [40, nil, 50, 90], [60, nil, 70, 130], [100, nil, 120, 220]])
        // Without the first column the second row is small, too.
        let next = Self.rule.shown([[4, 30, 20], [4, 3, 4], [1, 30, 40]])
        #expect(next == [[nil, 30, 20, 50], [nil, nil, nil, nil], [nil, 30, 40, 70], [nil, 60, 60, 120]])
    }

    @Test("a table in which everything is large is shown as it is, rounded; one in which nothing is isn't")
    func extremes() {
        let rule = MarginRule(minimum: 100, rounding: 10)
        #expect(rule.shown([[104, 105], [110, 119]]) == [[100, 110, 210], [110, 120, 230], [210, 220, 440]])
        #expect(rule.shown([[1, 0], [-3, 2]]).joined().allSatisfy { $0 == nil })
    }
}
