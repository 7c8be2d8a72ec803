/// The two forms of a batch, and the version that both sides have to name.
struct BatchMedia: Equatable {
    enum Form: String, CaseIterable {
        case protobuf = "application/protobuf"
        case json = "application/json"
    }

    let form: Form
    /// The parameter `version`; nil if there is none.
    let version: String?
    /// The type with all of its parameters, as the answer repeats it.
    let text: String

    /// The two numbers of the only version there is.
    private static let supported = [1, 0]

    /// Whether the version is the supported one; nil if it is missing, or not two numbers.
    var isSupported: Bool? {
        let numbers = version?.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard let numbers, numbers.count == 2, numbers.allSatisfy({ $0 != nil }) else { return nil }
        return numbers == Self.supported
    }

    /// The field `Content-Type` of an upload; nil for another type than those two.
    init?(contentType: String?) {
        guard let contentType, let range = MediaRange(contentType),
            let form = Form.allCases.first(where: { $0.rawValue == range.name })
        else { return nil }
        self.init(form, range)
    }

    /// The field `Accept` of a download: the first form that fits. Nil if none does.
    init?(accept: String?) {
        for range in MediaRange.list(accept) {
            guard let form = Form.allCases.first(where: { range.contains($0.rawValue) }) else { continue }
            self.init(form, range)
            return
        }
        return nil
    }

    private init(_ form: Form, _ range: MediaRange) {
        self.form = form
        version = range.parameters.first { $0.name == "version" }?.value
        text = form.rawValue + range.parameters.filter { $0.name != "q" }.map { ";\($0.name)=\($0.value)" }.joined()
    }
}

/// An element of `Accept`, or the value of `Content-Type` (RFC 9110, sections 8.3.1 and 12.5.1).
struct MediaRange {
    /// In lower case.
    let name: String
    let parameters: [(name: String, value: String)]

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false).map { Self.trimmed($0) }
        name = parts[0].lowercased()
        guard name.split(separator: "/").count == 2 else { return nil }
        parameters = parts.dropFirst().compactMap { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { return nil }
            return (pair[0].lowercased(), String(pair[1]))
        }
    }

    /// The elements of `Accept`; everything, if the field is missing.
    static func list(_ field: String?) -> [MediaRange] {
        (field ?? "*/*").split(separator: ",").compactMap { MediaRange($0) }
    }

    func contains(_ type: String) -> Bool {
        name == "*/*" || name == type || name == "\(type.prefix { $0 != "/" })/*"
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        var text = Substring(text)
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
