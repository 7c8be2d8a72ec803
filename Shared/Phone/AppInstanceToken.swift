package import FoundationEssentials

/// Identifies an installation of the app to the push dispatcher only.
///
/// It is created once and disappears with the app (swisscovid-doc, `crowdnotifier/03-background-synchronisation.md`).
package struct AppInstanceToken: Hashable, Sendable {
    /// A UUID in capital letters, as the published apps send it.
    package let text: String

    /// Creates the token of a newly installed app.
    package init(_ identifier: UUID = UUID()) {
        text = identifier.uuidString
    }
}
