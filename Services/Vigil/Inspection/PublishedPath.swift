/// Where in the published tree an archive lies, which says what it holds.
struct PublishedPath: Equatable {
    /// Such as `version/v1/stats`.
    let path: String

    /// The part of a file's name from the last folder `version` on; nil if there is none. The file `index` of a folder is the object at
    /// the folder's path, as in a published directory.
    init?(in file: String) {
        let parts = file.split(separator: "/")
        guard let first = parts.lastIndex(of: "version"), first < parts.endIndex - 1 else { return nil }
        let own = parts[first...]
        path = (own.last == "index" ? own.dropLast() : own).joined(separator: "/")
    }

    private var parts: [Substring] { path.split(separator: "/") }

    /// Whether diagnosis keys belong there.
    var hasKeys: Bool { parts.count > 2 && parts[2] == "diagnosis-keys" }
    /// Whether check-in reports belong there.
    var hasReports: Bool { parts.count > 2 && parts[2] == "twp" }
    /// Whether a bundle of venue reports belongs there.
    var hasVenueReports: Bool { parts.count == 4 && parts[2] == "venue-reports" }
}
