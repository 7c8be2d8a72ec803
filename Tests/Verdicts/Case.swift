import Glibc

/// A case: a kind and fields, each preceded by its length in four bytes, the highest first.
struct Case {
    let kind: String
    /// Whether certificates are to be judged as a careless verifier would.
    var isNaive = false
    private var fields: ArraySlice<[UInt8]>

    init(_ bytes: [UInt8]) {
        var fields: [[UInt8]] = []
        var rest = bytes[...]
        while rest.count >= 4 {
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            fields.append(Array(rest.dropFirst(4).prefix(count)))
            rest = rest.dropFirst(4 + count)
        }
        kind = fields.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        self.fields = fields.dropFirst()
    }

    /// The next field.
    mutating func bytes() throws(CaseProblem) -> [UInt8] {
        guard let field = fields.popFirst() else { throw .missingField }
        return field
    }

    /// The next field as text.
    mutating func text() throws(CaseProblem) -> String { String(decoding: try bytes(), as: UTF8.self) }

    /// The next field as a decimal number.
    mutating func number() throws(CaseProblem) -> Int {
        guard let number = Int(try text()) else { throw .missingField }
        return number
    }

    /// All fields that are left.
    mutating func rest() -> [[UInt8]] {
        defer { fields = [] }
        return Array(fields)
    }
}

/// A script doesn't say what it means. Scripts take these words for their own fault, never for a verdict.
enum CaseProblem: Error {
    case unknownKind(String)
    case missingField
    /// OpenSSL, as the other side of a handshake, doesn't read the certificate or the key that it is to show.
    case unsendable
}

/// Cases on the standard input, each preceded by its length in four bytes, the highest first.
struct CaseInput {
    /// The next case; nil at the end of the input.
    mutating func next() -> Case? {
        guard let header = read(4) else { return nil }
        return read(header.reduce(0) { $0 << 8 | Int($1) }).map { Case($0) }
    }

    private mutating func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let read = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(STDIN_FILENO, buffer.baseAddress?.advanced(by: filled), count - filled)
            }
            guard read > 0 else { return nil }
            filled += read
        }
        return bytes
    }
}

/// Lower-case hexadecimal digits.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
