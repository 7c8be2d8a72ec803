import Pages

extension Chart {
    /// The drawing as SVG in the page. A table with the same values stands beside it, so nothing needs to be read from it.
    ///
    /// - Parameters:
    ///   - id: unique in the page.
    ///   - unit: stands above the value axis.
    func drawing(id: String, title: String, unit: String, withheld: String, decimal: (Int) -> String) -> HTML {
        tag(
            .svg, .class("chart"), .set(.viewBox, "0 0 \(Int(Self.width)) \(Int(Self.height))"), .set(.role, "img"),
            .set(.ariaLabelledby, "\(id)-title \(id)-text")
        ) {
            tag(.title, .id("\(id)-title")) { title }
            tag(.desc, .id("\(id)-text")) { withheldColumns.isEmpty ? unit : "\(unit). \(withheld)" }
            if !withheldColumns.isEmpty { hatching(id) }
            axes(unit: unit, decimal: decimal)
            if !withheldColumns.isEmpty { hatched(id) }
            if series.count == 1 {
                bars(series[0])
            } else {
                for (index, series) in series.enumerated() { line(series, index) }
            }
        }
    }

    private func axes(unit: String, decimal: (Int) -> String) -> HTML {
        tag(.g) {
            text(4, 14, "start") { unit }
            path(
                "grid", ticks.dropFirst().map { "M\(number(Self.left)) \(number(y($0)))H\(number(Self.width - right))" }
            )
            path("axis", ["M\(number(Self.left)) \(number(y(0)))H\(number(Self.width - right))"] + marks.map(\.line))
            for tick in ticks { text(Self.left - 8, y(tick) + 4, "end") { decimal(tick) } }
            for mark in marks { text(mark.x + 3, Self.height - 14, "start") { mark.label } }
        }
    }

    /// Where a label stands below the axis, with a short line.
    private var marks: [(x: Double, label: String, line: String)] {
        labels.enumerated().compactMap { column, label in
            let start = x(column) - columnWidth / 2
            return label.map { (start, $0, "M\(number(start)) \(number(y(0)))v6") }
        }
    }

    private func hatching(_ id: String) -> HTML {
        tag(.defs) {
            tag(
                .pattern, .id("\(id)-hatch"), .set(.width, 8), .set(.height, 8), .set(.patternUnits, "userSpaceOnUse"),
                .set(.patternTransform, "rotate(45)")
            ) {
                tag(.line, .class("hatch"), .set(.x1, 0), .set(.y1, 0), .set(.x2, 0), .set(.y2, 8))
            }
        }
    }

    private func hatched(_ id: String) -> HTML {
        let columns = withheldColumns.map { column(at: $0, from: Self.top) }.joined()
        return tag(.path, .class("gap-area"), .set(.d, columns), .set(.fill, "url(#\(id)-hatch)"))
    }

    private func bars(_ series: Series) -> HTML {
        path(
            "bar",
            series.values.enumerated().compactMap { index, value in
                if case .known(let known) = value { column(at: index, from: y(known)) } else { nil }
            })
    }

    /// The outline of a column from a height down to the axis.
    private func column(at index: Int, from top: Double) -> String {
        let width = number(columnWidth * 0.8)
        return "M\(number(x(index) - columnWidth * 0.4)) \(number(top))h\(width)V\(number(y(0)))h-\(width)z"
    }

    /// Series differ by the shape of their markers and by dashes, not by colour alone (WCAG 2.2, 1.4.1).
    @HTMLBuilder private func line(_ series: Series, _ index: Int) -> HTML {
        let pieces = pieces(of: series)
        path(
            "series series-\(index)",
            pieces.map { "M" + $0.map { "\(number(x($0.column))) \(number(y($0.value)))" }.joined(separator: "L") })
        path("marker marker-\(index)", pieces.joined().map { marker(x($0.column), y($0.value), index) })
        if let height = nameHeights[index] {
            text(Self.width - right + 10, height + 4, "start") { series.name }
        }
    }

    private func marker(_ x: Double, _ y: Double, _ index: Int) -> String {
        switch index {
        case 0: "M\(number(x - 4)) \(number(y))a4 4 0 1 0 8 0a4 4 0 1 0-8 0"
        case 1: "M\(number(x - 4)) \(number(y - 4))h8v8h-8z"
        case 2: "M\(number(x)) \(number(y - 5))l5 9h-10z"
        default: "M\(number(x)) \(number(y - 5))l5 5l-5 5l-5-5z"
        }
    }

    /// One element for many lines: a page of figures stays small.
    private func path(_ style: String, _ parts: [String]) -> HTML {
        parts.isEmpty ? .empty : tag(.path, .class(style), .set(.d, parts.joined()))
    }

    private func text(_ x: Double, _ y: Double, _ anchor: String, content: () -> String) -> HTML {
        tag(.text, .set(.x, number(x)), .set(.y, number(y)), .set(.textAnchor, anchor)) { content() }
    }

    /// One decimal is a fraction of a pixel.
    private func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
    }
}
