/// A regular expression as both operating systems of phones read them, which use ICU's:
/// https://unicode-org.github.io/icu/userguide/strings/regexp.html
///
/// It is checked, never matched. What ICU has beyond this (looking behind, named groups, named sets, operations on sets,
/// comments) is refused, so that nothing passes which a phone might refuse.
struct RegularExpression {
    /// How many groups capture something.
    private(set) var groups = 0

    /// Scalars, as ICU counts: a combining mark is a character of its own, also behind a parenthesis.
    private var rest: Substring.UnicodeScalarView
    private var highestReference = 0

    /// Nil for a text that is empty or no such expression.
    init?(_ pattern: String) {
        rest = pattern[...].unicodeScalars
        guard !pattern.isEmpty, alternatives(depth: 0), rest.isEmpty, highestReference <= groups else { return nil }
    }

    /// More than any pattern needs, and few enough for every stack.
    private static let maximumDepth = 100

    /// Alternatives up to the end, or to the parenthesis that closes their group.
    private mutating func alternatives(depth: Int) -> Bool {
        guard depth <= Self.maximumDepth else { return false }
        while let character = rest.first, character != ")" {
            rest.removeFirst()
            switch character {
            case "|", "^", "$": continue
            case "(":
                guard let repeats = group(depth: depth), !repeats || quantifier() else { return false }
            case "[":
                guard set(), quantifier() else { return false }
            case "\\":
                // Nothing repeats a place between characters.
                if let place = rest.first, "bBAZzG".unicodeScalars.contains(place) {
                    rest.removeFirst()
                } else if !escape(inSet: false) || !quantifier() {
                    return false
                }
            case "*", "+", "?", "{", "}", "]":
                // ICU takes a closing brace or bracket for itself; here it is most likely a mistake.
                return false
            default:
                guard quantifier() else { return false }
            }
        }
        return true
    }

    /// What follows an opening parenthesis.
    ///
    /// - Returns: whether the group may be repeated; nil if it isn't one.
    private mutating func group(depth: Int) -> Bool? {
        var repeats = true
        if take("?") {
            if take("=") || take("!") {
                repeats = false
            } else if !take(":"), !take(">") {
                let flags = rest.prefix { "ims".unicodeScalars.contains($0) }
                guard !flags.isEmpty else { return nil }
                rest.removeFirst(flags.count)
                if take(")") { return false }
                guard take(":") else { return nil }
            }
        } else {
            groups += 1
        }
        guard alternatives(depth: depth + 1), take(")") else { return nil }
        return repeats
    }

    /// How often what precedes is repeated; nothing is once.
    private mutating func quantifier() -> Bool {
        if take("{") {
            guard let least = number() else { return false }
            if take(",") {
                if rest.first != "}" {
                    guard let most = number(), least <= most else { return false }
                }
            }
            guard take("}") else { return false }
        } else if !take("*"), !take("+"), !take("?") {
            return true
        }
        // Lazy or possessive.
        _ = take("?") || take("+")
        return true
    }

    /// What follows an opening bracket.
    private mutating func set() -> Bool {
        _ = take("^")
        if rest.first == ":" { return false }
        var isEmpty = true
        while let first = rest.popFirst() {
            switch first {
            case "]": return !isEmpty
            case "[", "&": return false
            case "-" where rest.first == "-": return false
            case "\\": guard escape(inSet: true) else { return false }
            default:
                // A range ends with a character of its own.
                if rest.first == "-", let last = rest.dropFirst().first, last != "]" {
                    guard !"[&\\-".unicodeScalars.contains(last), first != "-", first <= last else { return false }
                    rest.removeFirst(2)
                }
            }
            isEmpty = false
        }
        return false
    }

    /// What follows a backslash.
    private mutating func escape(inSet: Bool) -> Bool {
        guard let character = rest.popFirst() else { return false }
        switch character {
        case "d", "D", "w", "W", "s", "S", "h", "H", "v", "V", "t", "n", "r", "f", "a", "e": return true
        case "R", "X": return !inSet
        case "1"..."9":
            highestReference = max(highestReference, Int(character.value - 0x30))
            return !inSet
        case "x": return take("{") ? digits(1...6) && take("}") : digits(2...2)
        case "u": return digits(4...4)
        case "p", "P":
            guard take("{") else { return false }
            let name = rest.prefix { $0.isLetter || $0.isDigit || $0 == "_" || $0 == "=" }
            rest.removeFirst(name.count)
            return !name.isEmpty && take("}")
        // Every other letter is reserved; everything else stands for itself.
        default: return !character.isLetter && !character.isDigit
        }
    }

    private mutating func digits(_ count: ClosedRange<Int>) -> Bool {
        let digits = rest.prefix(count.upperBound).prefix { $0.properties.isASCIIHexDigit }
        rest.removeFirst(digits.count)
        return count.contains(digits.count)
    }

    private mutating func number() -> Int? {
        let digits = rest.prefix(while: \.isDigit)
        rest.removeFirst(digits.count)
        // ICU's limit is higher.
        return Int(String(digits)).flatMap { $0 <= 65_535 ? $0 : nil }
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.unicodeScalars) else { return false }
        rest.removeFirst(text.unicodeScalars.count)
        return true
    }
}

extension Unicode.Scalar {
    /// A letter of ASCII.
    fileprivate var isLetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }

    /// A digit of ASCII.
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}
