import HTTPContract

// Laboratories' software was written for cwa-testresult-server, which reads JSON with Jackson. By default Jackson converts scalars
// (`MapperFeature.ALLOW_COERCION_OF_SCALARS`, `DeserializationFeature.ACCEPT_FLOAT_AS_INT`), so such software may send `"2"` for 2
// without anybody having noticed. What can only be meant in one way is taken here as well.

/// A number, or a text with one.
///
/// Jackson reads both as an `Integer` or a `long`: it trims white space, and cuts fractions off. An empty text is no value.
struct ConvertedNumber: Decodable {
    private enum Content {
        case whole(Int)
        case fraction(Double)
        case nothing
    }

    private let content: Content

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // The usual form first: the others cost an error each.
        if let whole = try? container.decode(Int.self) {
            content = .whole(whole)
        } else if let text = try? container.decode(String.self) {
            let digits = text.trimmingSpace
            guard !digits.isEmpty else {
                content = .nothing
                return
            }
            // No fractions: Jackson refuses them in texts.
            guard let whole = Int(digits) else { throw MalformedMessage() }
            content = .whole(whole)
        } else {
            content = .fraction(try container.decode(Double.self))
        }
    }

    /// The number; nil for a fraction, which Jackson would cut off.
    ///
    /// A code with a fraction is a defect of the sender, and must not become somebody's positive result.
    var exactly: Int? {
        switch content {
        case .whole(let number): number
        case .fraction(let number): Int(exactly: number)
        case .nothing: nil
        }
    }

    /// Seconds since the epoch without their fraction; nil if there is no value.
    /// - Throws: ``MalformedMessage`` if they don't fit.
    func wholeSeconds() throws(MalformedMessage) -> Int32? {
        let seconds: Int32?
        switch content {
        case .nothing: return nil
        case .whole(let number): seconds = Int32(exactly: number)
        case .fraction(let number): seconds = Int32(exactly: number.rounded(.down))
        }
        guard let seconds else { throw MalformedMessage() }
        return seconds
    }
}

/// A text, or a whole number or truth value, which Jackson reads as its text.
struct ConvertedText: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self.text = text
        } else if let truth = try? container.decode(Bool.self) {
            text = String(truth)
        } else {
            text = String(try container.decode(Int.self))
        }
    }
}

extension String {
    /// Without white space of ASCII at either end.
    fileprivate var trimmingSpace: Substring {
        let isSpace = { (character: Character) in character.isASCII && character.isWhitespace }
        var rest = self[...].drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return rest
    }
}
