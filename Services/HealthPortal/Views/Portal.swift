import FoundationEssentials
import Pages
import Running
import Schema

/// What every page says about the portal itself.
struct Portal: Sendable {
    /// The health authority that operates it.
    let authority: String
    /// Where officers turn, and where barriers are reported.
    let contact: Contact
    /// A notice on every page, such as maintenance; nil if there is none.
    let notice: String?
    /// The languages of its pages.
    let languages: Languages
    /// The authority's local time.
    let time: LocalTime

    /// From `portal.authority`, `portal.contact`, `portal.notice`, `portal.languages` and `statistics.timeZone`.
    init(_ settings: Settings) throws(ConfigurationProblem) {
        authority = try settings.string("portal.authority")
        guard let contact = Contact(try settings.string("portal.contact")) else {
            throw settings.wrong("portal.contact", "must begin with mailto:, tel: or https://")
        }
        self.contact = contact
        notice = settings.optionalString("portal.notice")
        languages = try Languages(settings)
        guard let time = LocalTime(zone: settings.string("statistics.timeZone", default: CountryFact.timeZone.standard))
        else {
            throw settings.wrong(
                "statistics.timeZone", "must be a zone in this machine's tzdata, such as Europe/Berlin")
        }
        self.time = time
    }

    init(
        authority: String, contact: Contact, notice: String?, languages: Languages = .all, time: LocalTime
    ) {
        self.authority = authority
        self.contact = contact
        self.notice = notice
        self.languages = languages
        self.time = time
    }
}
