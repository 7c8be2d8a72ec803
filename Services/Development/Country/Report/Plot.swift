/// A line plot as SVG. A table beside it has the same numbers.
struct Plot {
    /// A line with its name.
    struct Line {
        let name: String
        let values: [Double]
    }

    let title: String
    let unit: String
    let lines: [Line]

    private static let size = (width: 720.0, height: 260.0)
    private static let margin = (left: 56.0, right: 150.0, top: 28.0, bottom: 24.0)
    private static let colours = ["#1b6ca8", "#c0392b", "#27823b", "#7d3c98", "#b9770e", "#34495e"]

    /// The drawing; empty without values.
    var svg: String {
        let count = lines.map(\.values.count).max() ?? 0
        guard count > 1 else { return "" }
        let top = max(lines.flatMap(\.values).max() ?? 0, 1)
        func x(_ index: Int) -> Double {
            Self.margin.left + (Self.size.width - Self.margin.left - Self.margin.right) * Double(index)
                / Double(count - 1)
        }
        func y(_ value: Double) -> Double {
            let height = Self.size.height - Self.margin.top - Self.margin.bottom
            return Self.margin.top + height * (1 - value / top)
        }
        var parts = [
            #"<svg viewBox="0 0 \#(Int(Self.size.width)) \#(Int(Self.size.height))" role="img" aria-label="\#(title)">"#,
            #"<text x="4" y="16">\#(unit)</text>"#,
        ]
        for share in [0, 0.5, 1] {
            let height = y(top * share)
            parts.append(
                #"<path class="grid" d="M\#(Self.margin.left) \#(height)H\#(Self.size.width - Self.margin.right)"/>"#)
            parts.append(
                #"<text x="\#(Self.margin.left - 6)" y="\#(height + 4)" text-anchor="end">\#(Self.text(top * share))</text>"#
            )
        }
        for (number, line) in lines.enumerated() {
            let points = line.values.enumerated().map { "\(Self.text(x($0))) \(Self.text(y($1)))" }
            let colour = Self.colours[number % Self.colours.count]
            parts.append(
                #"<path fill="none" stroke="\#(colour)" stroke-width="2" d="M\#(points.joined(separator: "L"))"/>"#)
            let place = Self.margin.top + 16 * Double(number)
            parts.append(
                #"<text x="\#(Self.size.width - Self.margin.right + 8)" y="\#(place)" fill="\#(colour)">\#(line.name)</text>"#
            )
        }
        return parts.joined() + "</svg>"
    }

    /// A number with one decimal at most.
    static func text(_ value: Double) -> String {
        let tenths = (value * 10).rounded() / 10
        return tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
    }
}
