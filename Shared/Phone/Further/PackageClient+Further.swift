package import FoundationEssentials
import FurtherAPI
import StrictJSON

/// The lists of the Further app, compressed, by entity tag.
extension PackageClient {
    /// The ids of the positive records, unless the phone has the list with this entity tag.
    package func positiveIDs(ifNot tag: String? = nil) async throws -> Answer<Set<UUID>> {
        try await conditional("/data", ifNot: tag, isCompressed: true) { body in
            Set(try StrictJSON.decode([HealthReport].self, from: body).map(\.id))
        }
    }

    /// The app's switches, as ``FurtherFeatures`` reads them.
    package func furtherFeatures() async throws -> Data { try await fetch("/features") }
}
