import HTTPMessage

/// Finds a body's parts and its end (RFC 9112, sections 6 and 7).
struct BodyReader: Sendable {
    enum Part {
        case body(Range<Int>)
        case end
    }

    private enum State {
        /// This many bytes are left.
        case length(Int)
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case trailer
        case untilEnd
    }

    /// The most bytes of a chunk's size with its extensions (section 7.1.1) and its line end.
    private static let maxSizeLine = 256
    /// The most digits of a chunk's size, leading zeros among them.
    private static let maxSizeDigits = 16

    private var state: State
    private var lines = Lines()
    /// How many bytes and lines the trailer section may still have.
    private var trailerBytes: Int
    private var trailerLines: Int

    /// - Parameters:
    ///   - trailerBytes: the most bytes of a trailer section.
    ///   - trailerLines: the most lines of a trailer section.
    init(_ framing: BodyFraming, trailerBytes: Int, trailerLines: Int) {
        state =
            switch framing {
            case .none: .length(0)
            case .length(let length): .length(length)
            case .chunked: .chunkSize
            case .untilEnd: .untilEnd
            }
        self.trailerBytes = trailerBytes
        self.trailerLines = trailerLines
    }

    /// Whether the body ends with the connection.
    var isUntilEnd: Bool { if case .untilEnd = state { true } else { false } }

    /// The next part, of which `position` is moved to the end; nil if more bytes are needed.
    mutating func next(_ bytes: Span<UInt8>, _ position: inout Int) throws(Violation) -> Part? {
        while true {
            switch state {
            case .length(0):
                return .end
            case .length(let left):
                guard let part = Self.part(bytes, &position, upTo: left) else { return nil }
                state = .length(left - part.count)
                return .body(part)
            case .untilEnd:
                return Self.part(bytes, &position, upTo: .max).map { .body($0) }
            case .chunkSize:
                guard
                    let line = try lines.next(
                        bytes, from: position, limit: Self.maxSizeLine,
                        tooLong: Violation(status: 400, "a chunk's size is too long"))
                else { return nil }
                position = line.upperBound + 2
                let size = try Self.size(bytes.extracting(line))
                state = size == 0 ? .trailer : .chunk(size)
            case .chunk(let left):
                guard let part = Self.part(bytes, &position, upTo: left) else { return nil }
                state = part.count == left ? .chunkEnd : .chunk(left - part.count)
                return .body(part)
            case .chunkEnd:
                guard position < bytes.count else { return nil }
                guard bytes[position] == UInt8(ascii: "\r") else { throw Self.chunkWithoutEnd }
                guard position + 1 < bytes.count else { return nil }
                guard bytes[position + 1] == UInt8(ascii: "\n") else { throw Self.chunkWithoutEnd }
                position += 2
                state = .chunkSize
            case .trailer:
                guard let line = try nextTrailerLine(bytes, position) else { return nil }
                position = line.upperBound + 2
                if line.isEmpty { state = .length(0) }
            }
        }
    }

    private static let chunkWithoutEnd = Violation(status: 400, "a chunk doesn't end where its size says")

    private static func part(_ bytes: Span<UInt8>, _ position: inout Int, upTo limit: Int) -> Range<Int>? {
        let count = min(limit, bytes.count - position)
        guard count > 0 else { return nil }
        position += count
        return position - count..<position
    }

    /// A chunk's size. Extensions are ignored (section 7.1.1): they can't hold what ends a line.
    private static func size(_ line: Span<UInt8>) throws(Violation) -> Int {
        var size = 0
        var index = 0
        while index < line.count, let digit = line[index].hexDigit {
            guard index < maxSizeDigits, size <= Int.max >> 4 else {
                throw Violation(status: 400, "a chunk's size is too large")
            }
            size = size << 4 | digit
            index += 1
        }
        let rest = line.trimmed(index..<line.count)
        guard index > 0, index == line.count || (!rest.isEmpty && line[rest.lowerBound] == UInt8(ascii: ";")),
            line.extracting(index..<line.count).isFieldValue
        else { throw Violation(status: 400, "a chunk's size isn't a number") }
        return size
    }

    /// A line of the trailer section. Its fields are checked and dropped: none may change the header (RFC 9110, section
    /// 6.5.1), and nobody here knows any.
    private mutating func nextTrailerLine(_ bytes: Span<UInt8>, _ position: Int) throws(Violation) -> Range<Int>? {
        let tooLong = Violation(status: 431, "a trailer section is too long")
        guard let line = try lines.next(bytes, from: position, limit: trailerBytes, tooLong: tooLong) else {
            return nil
        }
        if line.isEmpty { return line }
        trailerBytes -= line.count + 2
        trailerLines -= 1
        guard trailerLines >= 0 else { throw tooLong }
        var dropped = FieldLines()
        _ = try dropped.append(field: bytes.extracting(line))
        return line
    }
}
