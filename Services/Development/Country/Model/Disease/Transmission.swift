import Glibc

/// How much of an infection a contact passes on.
///
/// The hazard is that of OpenABM-Covid19 (`documentation/covid19.md`, "Infection Dynamics"): strength × density of the generation time ×
/// weight of the place ÷ daily contacts of people of the susceptible one's age. It knows no durations and distances; here each contact
/// counts by its minutes and its distance, so that a place's mean contact has the published weight.
struct Transmission: Sendable {
    /// The density of the generation time by hours since infection, per day.
    private let density: [Double]
    /// By decimetres.
    private let distance: [Double]
    /// By place.
    private let weightPerMinute: [Double]
    /// By age group.
    private let dailyContacts: [Double]

    init(_ disease: DiseaseParameters, _ plan: ContactPlan, dailyContacts: [Double]) {
        let curve = GammaCurve(mean: disease.generation.mean, deviation: disease.generation.deviation)
        density = (0..<(30 * 24)).map { curve.density(at: (Double($0) + 0.5) / 24) }
        func nearness(_ decimetres: UInt8) -> Double {
            1 - 1 / (1 + exp(disease.distance.offset - disease.distance.slope * Double(decimetres) / 10))
        }
        let mean = plan.mean(ofDistance: nearness)
        distance = (0...UInt8.max).map { nearness($0) / mean }
        weightPerMinute = Place.allCases.map {
            ($0 == .home ? disease.homeWeight : 1) / plan.meanMinutes(at: $0)
        }
        self.dailyContacts = dailyContacts
    }

    /// The hazard for a susceptible person, before the susceptibility of their age.
    func hazard(of contact: Contact, from infection: Infection, to group: AgeGroup) -> Double {
        let hours = infection.at.minutes(until: contact.start) / 60
        guard density.indices.contains(hours), contact.start < infection.recovery else { return 0 }
        return infection.strength * density[hours] * distance[Int(contact.decimetres)] * Double(contact.minutes)
            * weightPerMinute[Int(contact.place.rawValue)] / dailyContacts[group.rawValue]
    }
}
