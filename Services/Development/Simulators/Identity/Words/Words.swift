/// The texts of the pages in one language.
struct Words: Sendable {
    /// The language tag (BCP 47).
    let tag: String
    let signIn: String
    let user: String
    let password: String
    let next: String
    let secondFactor: String
    let code: String
    let codeHint: String
    let wrongPassword: String
    let wrongCode: String
    let simulated: String

    static let english = Words(
        tag: "en", signIn: "Sign in", user: "User name", password: "Password", next: "Continue",
        secondFactor: "Second factor", code: "One-time code",
        codeHint: "Six digits from the authenticator app, or from vigil-dev one-time-code.",
        wrongPassword: "User name or password is wrong.", wrongCode: "The code is wrong, or has been used.",
        simulated: "Simulated identity provider, for development only.")

    static let german = Words(
        tag: "de", signIn: "Anmelden", user: "Benutzername", password: "Passwort", next: "Weiter",
        secondFactor: "Zweiter Faktor", code: "Einmalcode",
        codeHint: "Sechs Ziffern aus der Authenticator-App oder von vigil-dev one-time-code.",
        wrongPassword: "Benutzername oder Passwort ist falsch.",
        wrongCode: "Der Code ist falsch oder wurde schon verwendet.",
        simulated: "Simulierter Identitätsanbieter, nur für die Entwicklung.")

    static let all = [english, german]

    /// The first language of a list (`ui_locales`) that there is; English otherwise.
    static func preferred(_ languages: String?) -> Words {
        let wanted = (languages ?? "").split(separator: " ").map { $0.prefix(2).lowercased() }
        return wanted.lazy.compactMap { tag in all.first { $0.tag == tag } }.first ?? english
    }
}
