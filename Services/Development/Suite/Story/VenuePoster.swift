package import Venues

/// The code at a venue's door, as the makers of posters write it.
package enum VenuePoster {
    /// The venue owners' page: version, seed of 32 bytes, description.
    package static func code(seed: [UInt8], _ description: String) -> VenueCode? {
        VenueCode([1] + seed + description.utf8, .seed)
    }

    /// Corona-Warn-App's generator (cwa-event-qr-code): version, place (2) with name and address, seed of 16 bytes (3), kind of place (4).
    package static func traceLocation(seed: [UInt8], _ description: String, address: String) -> VenueCode? {
        func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] { [number << 3 | 2, UInt8(bytes.count)] + bytes }
        let place = [8, 1] + field(2, Array(description.utf8)) + field(3, Array(address.utf8))
        return VenueCode(
            [8, 1] + field(2, place) + field(3, [8, 1] + field(3, seed)) + field(4, [8, 1, 16, 4]), .traceLocation)
    }
}
