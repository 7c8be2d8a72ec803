import PublishedTree
import Running
import VenueEventFormat

/// The three objects in which tracers' events are published: the signed file for phones, and the same data as two other systems have
/// it. They always exist, so that a phone can tell "no events" from a failure.
struct VenueEventFiles: Sendable {
    /// The archive of `export.bin` and its signatures; see ``PublishedVenueEvents``.
    static let signed = TreeKey("version/v1/venue-events")
    /// As NZ COVID Tracer has it.
    static let newZealand = TreeKey("version/v1/current-exposure-events.json")
    /// As the NHS COVID-19 app has it.
    static let riskyVenues = TreeKey("version/v1/risky-venues")

    /// All keys. Others' runs must not remove them.
    static let keys = [signed, newZealand, riskyVenues]

    /// The contents, in the order in which they are written: the signed file first.
    let contents: [(key: TreeKey, content: [UInt8])]

    /// The same events have the same bytes, since signatures are kept.
    init(_ published: PublishedVenueEvents, signedBy packages: PackageBuilder) async throws {
        contents = [
            (Self.signed, try await packages.build(published.encoded())),
            (Self.newZealand, try NewZealandExposureEvents(published).bytes),
            (Self.riskyVenues, try RiskyVenues(published).bytes),
        ]
    }
}

/// A row of the events isn't what this build can publish. What is published stays.
struct UnreadableVenueEvents: OperatorProblem, Equatable {
    var description: String {
        "The venue events can't be published: one isn't an event of this build, or there are too many. Deploy distribution and "
            + "health-portal of the same version."
    }
}
