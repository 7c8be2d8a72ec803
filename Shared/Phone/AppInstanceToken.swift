package import FoundationEssentials

/// Names an installation of the app, towards the push dispatcher and nobody else; made once, and gone with the app (swisscovid-doc,
/// `crowdnotifier/03-background-synchronisation.md`).
package struct AppInstanceToken: Hashable, Sendable {
    /// A UUID in capital letters, as the published apps send it.
    package let text: String

    /// That of an app that was just installed.
    package init(_ identifier: UUID = UUID()) {
        text = identifier.uuidString
    }
}
