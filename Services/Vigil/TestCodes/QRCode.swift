import CQREncode

/// A QR code (ISO/IEC 18004): a square of modules, each dark or light.
struct QRCode: Sendable {
    /// Modules of a side, without the light margin.
    let width: Int
    private let modules: [UInt8]

    /// Modules of the margin that a code must have on each side.
    static let margin = 4

    /// The smallest code that holds a text and can be read with a quarter of it damaged.
    init(_ text: String) throws(CommandFailure) {
        guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_Q, QR_MODE_8, 1) else {
            throw CommandFailure("The QR code can't be made: \(CommandFailure.systemReason).")
        }
        defer { QRcode_free(code) }
        width = Int(code.pointee.width)
        modules = Array(UnsafeBufferPointer(start: code.pointee.data, count: width * width))
    }

    /// The dark modules of a row, as ranges of columns.
    func darkRuns(inRow row: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        // Of a module's bits the lowest is its colour.
        for column in 0..<width where modules[row * width + column] & 1 == 1 {
            if let last = runs.last, last.upperBound == column {
                runs[runs.count - 1] = last.lowerBound..<column + 1
            } else {
                runs.append(column..<column + 1)
            }
        }
        return runs
    }
}
