import SwiftProtobuf

/// Where a person lives, and how old the person is, if the person says (cwa-ppa-server, `PPAUserMetadata`).
package struct UserGroup: Hashable, Sendable {
    /// One of the country's states, 1 to ``mostStates``; 0 if the person doesn't say.
    package var federalState: Int16
    /// A district; 0 if the person doesn't say.
    package var district: Int32
    /// 0 if the person doesn't say.
    package var age: Age

    /// In the numbers of the wire.
    package enum Age: Int16, Hashable, Sendable, CaseIterable {
        /// The person doesn't say.
        case unspecified
        /// Under 30.
        case to29
        /// From 30 on.
        case to59
        /// From 60 on.
        case from60
    }

    /// `PPAFederalState` has 16; other countries have more.
    package static let mostStates: Int32 = 99
    /// Germany's have eight digits.
    private static let largestDistrict: Int32 = 99_999_999

    /// A group from its parts.
    package init(federalState: Int16 = 0, district: Int32 = 0, age: Age = .unspecified) {
        self.federalState = federalState
        self.district = district
        self.age = age
    }

    init(_ wire: WireUser) throws(DonationFlaw) {
        guard (0...Self.mostStates).contains(wire.federalState),
            (0...Self.largestDistrict).contains(wire.administrativeUnit)
        else { throw .data }
        self.init(
            federalState: Int16(wire.federalState), district: wire.administrativeUnit, age: try wire.ageGroup.value())
    }

    var wire: WireUser {
        .with {
            $0.federalState = Int32(federalState)
            $0.administrativeUnit = district
            $0.ageGroup = WireUser.AgeGroup(rawValue: Int(age.rawValue)) ?? .init()
        }
    }
}
