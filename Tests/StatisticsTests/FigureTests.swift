import Statistics
import Testing

struct FigureTests {
    @Test("the parts of a figure differ, and a minimum is a multiple of the rounding", arguments: Figure.allCases)
    func definition(figure: Figure) {
        let definition = figure.definition
        #expect(!definition.cells.isEmpty && Set(definition.cells).count == definition.cells.count)
        #expect(definition.minimum.isMultiple(of: definition.rounding))
    }

    @Test("imported keys have a part for each of 31 countries, in alphabetical order")
    func countries() {
        let cells = Figure.keysImported.definition.cells
        #expect(cells.count == 31)
        #expect(cells == cells.sorted())
        #expect(cells.allSatisfy { $0.wholeMatch(of: /[a-z]{2}/) != nil })
    }
}
