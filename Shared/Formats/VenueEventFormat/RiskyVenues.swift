import Venues

/// The events as the list `risky-venues` of the NHS COVID-19 app (ukhsa-collaboration/covid19-app-system-public,
/// `risky-venue-distribution.md`).
///
/// `id` is a venue's tag, since there are no poster numbers here. `M1` informs, `M2` asks for a test.
package struct RiskyVenues: Sendable {
    /// The file.
    package let bytes: [UInt8]

    /// Renders published events; revoked ones are simply absent.
    package init(_ published: PublishedVenueEvents) throws {
        bytes = try CanonicalJSON.encode(Venues(venues: published.records.map(Venues.Venue.init)))
    }

    private struct Venues: Encodable {
        let venues: [Venue]

        struct Venue: Encodable {
            let id: String
            let riskyWindow: Window
            let messageType: String

            struct Window: Encodable {
                let from: String
                let until: String
            }

            init(_ record: VenueEventRecord) {
                id = record.tag.hex
                riskyWindow = Window(
                    from: UTCTime.text(record.window.startDate), until: UTCTime.text(record.window.endDate))
                messageType = record.severity.riskyVenueType
            }
        }
    }
}

extension VenueSeverity {
    /// The `message_type` of the NHS.
    var riskyVenueType: String {
        switch self {
        case .inform: "M1"
        case .test: "M2"
        }
    }
}
