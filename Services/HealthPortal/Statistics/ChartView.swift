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
            for column in withheldColumns { hatched(column, id) }
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
            for tick in ticks {
                line(Self.left, y(tick), Self.width - right, y(tick), tick == 0 ? "axis" : "grid")
                text(Self.left - 8, y(tick) + 4, "end") { decimal(tick) }
            }
            for (column, label) in labels.enumerated() {
                if let label {
                    let start = x(column) - columnWidth / 2
                    line(start, y(0), start, y(0) + 6, "axis")
                    text(start + 3, Self.height - 14, "start") { label }
                }
            }
        }
    }

    private func hatching(_ id: String) -> HTML {
        tag(.defs) {
            tag(
                .pattern, .id("\(id)-hatch"), .set(.width, 8), .set(.height, 8), .set(.patternUnits, "userSpaceOnUse"),
                .set(.transform, "rotate(45)")
            ) {
                tag(.line, .class("hatch"), .set(.x1, 0), .set(.y1, 0), .set(.x2, 0), .set(.y2, 8))
            }
        }
    }

    private func hatched(_ column: Int, _ id: String) -> HTML {
        let height = Self.height - Self.bottom - Self.top
        return tag(
            .rect, .class("gap-area"), .set(.x, number(x(column) - columnWidth * 0.4)), .set(.y, number(Self.top)),
            .set(.width, number(columnWidth * 0.8)), .set(.height, number(height)), .set(.fill, "url(#\(id)-hatch)"))
    }

    @HTMLBuilder private func bars(_ series: Series) -> HTML {
        for (column, value) in series.values.enumerated() {
            if case .known(let known) = value {
                tag(
                    .rect, .class("bar"), .set(.x, number(x(column) - columnWidth * 0.4)), .set(.y, number(y(known))),
                    .set(.width, number(columnWidth * 0.8)), .set(.height, number(y(0) - y(known))))
            }
        }
    }

    /// Series differ by the shape of their markers and by dashes, not by colour alone (WCAG 2.2, 1.4.1).
    @HTMLBuilder private func line(_ series: Series, _ index: Int) -> HTML {
        for piece in pieces(of: series) {
            let path = piece.map { "\(number(x($0.column))) \(number(y($0.value)))" }.joined(separator: " L")
            tag(.path, .class("series series-\(index)"), .set(.d, "M\(path)"))
            for point in piece { marker(x(point.column), y(point.value), index) }
        }
        if let height = nameHeights[index] {
            text(Self.width - right + 10, height + 4, "start") { series.name }
        }
    }

    private func marker(_ x: Double, _ y: Double, _ index: Int) -> HTML {
        let shape =
            switch index {
            case 0: "M\(number(x - 4)) \(number(y)) a4 4 0 1 0 8 0 a4 4 0 1 0 -8 0"
            case 1: "M\(number(x - 4)) \(number(y - 4)) h8 v8 h-8 z"
            case 2: "M\(number(x)) \(number(y - 5)) l5 9 h-10 z"
            default: "M\(number(x)) \(number(y - 5)) l5 5 l-5 5 l-5 -5 z"
            }
        return tag(.path, .class("marker marker-\(index)"), .set(.d, shape))
    }

    private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) -> HTML {
        tag(
            .line, .class(style), .set(.x1, number(x1)), .set(.y1, number(y1)), .set(.x2, number(x2)),
            .set(.y2, number(y2)))
    }

    private func text(_ x: Double, _ y: Double, _ anchor: String, content: () -> String) -> HTML {
        tag(.text, .set(.x, number(x)), .set(.y, number(y)), .set(.textAnchor, anchor)) { content() }
    }

    /// One decimal is a fraction of a pixel.
    private func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
