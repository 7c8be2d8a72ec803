import HTTPContract
import Serving

/// The owner of posted results: a laboratory or a test centre, by the name in its certificate.
struct Laboratory: Sendable {
    /// 1 to 64 characters, none of them a control character.
    let name: String

    /// - Throws: ``Problem/forbidden`` for a certificate without a usable name.
    init(_ caller: Caller) throws(Problem) {
        guard !caller.name.isEmpty, Self.isName(caller.name) else { throw .forbidden }
        name = caller.name
    }

    /// Whether a text may be stored as a laboratory's name: the database accepts no NUL, and apps receive names.
    static func isName(_ text: String) -> Bool {
        text.unicodeScalars.count <= 64 && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
