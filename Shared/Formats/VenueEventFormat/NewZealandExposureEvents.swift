import FoundationEssentials
import Venues

/// The events as `current-exposure-events.json` of NZ COVID Tracer, for the venues that have a number.
///
/// The app reads `items` (minhealthnz/nzcovidtracer-app, `src/features/exposure/api.ts`, `service/mapEvent.ts`) and compares
/// `glnHash`, the base64 of SHA-384 of the number, with its diary. Tags of seeds have no place in it. Of the other members only the
/// notification's text is written, which is in English as the app is; there is no banner, no link and no request to be called.
package struct NewZealandExposureEvents: Sendable {
    /// The file.
    package let bytes: [UInt8]

    /// Renders published events; revoked ones are simply absent.
    package init(_ published: PublishedVenueEvents) throws {
        bytes = try CanonicalJSON.encode(
            Items(items: published.records.filter { $0.tag.kind == .number }.map(Items.Item.init)))
    }

    private struct Items: Encodable {
        let items: [Item]

        struct Item: Encodable {
            /// One notification for each event, so it has the event's identity.
            let notificationId: String
            let eventId: String
            let start: String
            let end: String
            let glnHash: String
            let systemNotificationBody: String

            init(_ record: VenueEventRecord) {
                eventId = record.event.uuidString.lowercased()
                notificationId = eventId
                start = UTCTime.text(record.window.startDate)
                end = UTCTime.text(record.window.endDate)
                glnHash = Data(record.tag.bytes).base64EncodedString()
                systemNotificationBody = record.message.english
            }
        }
    }
}
