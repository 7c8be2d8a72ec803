import OfficerIdentity

/// What surrounds the content of a page: the authority, the language and the officer.
struct Frame: Sendable {
    let portal: Portal
    let language: Language
    /// The page itself, to which the choice of a language leads back.
    let page: PagePath
    /// Nil for a caller who isn't signed in.
    let officer: Officer?

    /// The officer whose page it is.
    struct Officer: Sendable {
        /// As the identity provider has it: hostile input.
        let name: String
        let roles: Set<OfficerRole>
        /// Seconds until the session ends unless the officer asks for another page.
        let secondsLeft: Int
    }

    var words: Words { language.words }
}
