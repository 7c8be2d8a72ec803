import Credentials

/// Sheets of A4 with test codes, twelve to a sheet, as a PDF document (ISO 32000-1). Below each QR code is its GUID, to be typed
/// where no scanner is at hand. The document has no date and no name: it depends on the codes alone.
struct TestCodeSheets: Sendable {
    let codes: [TestGUID]

    private static let columns = 3
    private static let rows = 4
    // In points, of which an inch has 72. Printers leave the margin blank.
    private static let page = (width: 595.28, height: 841.89)
    private static let margin = 28.35
    private static let codeWidth = 120.0
    private static let textSize = 9.0
    /// A character of Courier, as a part of the text's size.
    private static let characterWidth = 0.6
    /// Where the GUID is broken into two lines.
    private static let firstLine = 21

    private static let cell = (
        width: (page.width - 2 * margin) / Double(columns), height: (page.height - 2 * margin) / Double(rows)
    )

    /// The document's bytes, which are ASCII.
    func pdf() throws(CommandFailure) -> String {
        let perPage = Self.columns * Self.rows
        let pages = (codes.count + perPage - 1) / perPage
        // Objects 1 to 3, then two for each page: itself and its content.
        let numbers = (0..<pages).map { 4 + 2 * $0 }
        var document = PDFDocument()
        document.add("<< /Type /Catalog /Pages 2 0 R >>")
        document.add(
            "<< /Type /Pages /Count \(pages) /Kids [\(numbers.map { "\($0) 0 R" }.joined(separator: " "))] "
                + "/MediaBox [0 0 \(Self.page.width) \(Self.page.height)] /Resources << /Font << /F 3 0 R >> >> >>")
        document.add("<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>")
        for (page, number) in numbers.enumerated() {
            document.add("<< /Type /Page /Parent 2 0 R /Contents \(number + 1) 0 R >>")
            let onPage = codes[page * perPage..<min((page + 1) * perPage, codes.count)]
            var content = Self.cuttingLines
            for (place, code) in onPage.enumerated() { content += try Self.label(code, at: place) }
            document.add("<< /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream")
        }
        return document.finished()
    }

    /// A code and its GUID.
    /// - Parameter place: 0 is the upper left one.
    private static func label(_ guid: TestGUID, at place: Int) throws(CommandFailure) -> String {
        let center = margin + (Double(place % columns) + 0.5) * cell.width
        let top = page.height - margin - Double(place / columns) * cell.height
        let code = try QRCode(guid.qrCodeText)
        let module = codeWidth / Double(code.width)
        let bottom = top - Double(QRCode.margin) * module - codeWidth
        // Then a module is the unit of length.
        var content = "q \(module) 0 0 \(module) \(center - codeWidth / 2) \(bottom) cm\n"
        for row in 0..<code.width {
            for run in code.darkRuns(inRow: row) {
                content += "\(run.lowerBound) \(code.width - 1 - row) \(run.count) 1 re\n"
            }
        }
        content += "f Q\n"
        let lines = [guid.text.prefix(firstLine), guid.text.dropFirst(firstLine)]
        for (number, line) in lines.enumerated() {
            let left = center - Double(line.count) * characterWidth * textSize / 2
            let base = bottom - Double(QRCode.margin) * module - Double(number + 1) * 1.2 * textSize
            content += "BT /F \(textSize) Tf \(left) \(base) Td (\(line)) Tj ET\n"
        }
        return content
    }

    /// Thin grey lines between the labels.
    private static var cuttingLines: String {
        let vertical = (1..<columns).map { column in
            let x = margin + Double(column) * cell.width
            return "\(x) \(margin) m \(x) \(page.height - margin) l S"
        }
        let horizontal = (1..<rows).map { row in
            let y = margin + Double(row) * cell.height
            return "\(margin) \(y) m \(page.width - margin) \(y) l S"
        }
        return "0.25 w 0.7 G\n\((vertical + horizontal).joined(separator: "\n"))\n"
    }
}

/// Numbered objects, and a table of where each begins.
private struct PDFDocument {
    private var text = "%PDF-1.4\n"
    private var offsets: [Int] = []

    mutating func add(_ object: String) {
        offsets.append(text.utf8.count)
        text += "\(offsets.count) 0 obj\n\(object)\nendobj\n"
    }

    func finished() -> String {
        // Each entry has 20 bytes.
        let table = offsets.map { offset in
            let digits = String(offset)
            return "\(String(repeating: "0", count: 10 - digits.count))\(digits) 00000 n \n"
        }
        return text + "xref\n0 \(offsets.count + 1)\n0000000000 65535 f \n\(table.joined())"
            + "trailer\n<< /Size \(offsets.count + 1) /Root 1 0 R >>\nstartxref\n\(text.utf8.count)\n%%EOF\n"
    }
}
