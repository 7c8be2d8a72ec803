import OfficerIdentity

/// What every page has around its content.
struct Frame: Sendable {
    struct Officer: Sendable {
        /// As the identity provider has it: hostile input.
        let name: String
        let roles: Set<OfficerRole>
        /// Seconds until the session ends unless the officer asks for another page.
        let secondsLeft: Int
    }

    let language: Language
    /// The page itself, to which the choice of a language leads back.
    let page: PagePath
    /// Nil on pages without signing in.
    let officer: Officer?
}
