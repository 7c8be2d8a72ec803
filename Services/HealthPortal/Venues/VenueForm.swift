import Credentials
import FoundationEssentials
import HTTPContract
import Venues

/// The form of a venue entry as it was sent.
///
/// It has no seed: the page's script derives the tags in the browser, one for each day that may be needed, because it doesn't know the
/// authority's time zone. Of a venue with a number it has the number.
struct VenueForm: Sendable {
    /// The fields as they were sent, for showing them again.
    struct Fields: Sendable, Equatable {
        var number = ""
        var start = ""
        var end = ""
        var severity = VenueSeverity.inform.rawValue
        var message = VenueMessage.watchForSymptoms.rawValue
    }

    /// Why an entry isn't taken.
    enum Problem: Error, Hashable, Sendable {
        /// Neither a poster nor a number, or both.
        case venue
        /// Thirteen digits of which the last doesn't check the others, or something else.
        case number
        /// A time can't be understood, or isn't on any clock on that day.
        case time
        case window(VenueWindow.Problem)
    }

    /// Reads a form.
    ///
    /// - Throws: ``Problem`` for what an officer can correct; ``Refusal/malformed`` for what no form of ours sends.
    static func event(
        _ form: URLEncodedValues, id: UUID, time: LocalTime, enteredAt now: Date
    ) throws -> VenueEvent {
        let fields = Fields(form)
        guard let severity = VenueSeverity(rawValue: fields.severity),
            let message = VenueMessage(rawValue: fields.message)
        else { throw Refusal.malformed }
        let posted = try tags(form["tags"] ?? "")
        guard posted.isEmpty != fields.number.isEmpty else { throw Problem.venue }
        guard let start = time.moment(fields.start), let end = time.moment(fields.end) else { throw Problem.time }
        let window: VenueWindow
        do throws(VenueWindow.Problem) {
            window = try VenueWindow(from: start, to: end, enteredAt: now)
        } catch {
            throw Problem.window(error)
        }
        var tags: [VenueTag]
        if posted.isEmpty {
            // People read numbers in groups.
            guard let number = GlobalLocationNumber(fields.number.filter { $0 != " " }) else { throw Problem.number }
            tags = [number.tag]
        } else {
            tags = window.days.compactMap { posted[$0] }
        }
        guard let event = VenueEvent(id: id, tags: tags, window: window, severity: severity, message: message) else {
            throw Refusal.malformed
        }
        return event
    }

    /// `20598:HEX,20599:HEX`: the tags of some days. Those of days that aren't needed are forgotten here.
    private static func tags(_ text: String) throws(Refusal) -> [UInt32: VenueTag] {
        guard !text.isEmpty else { return [:] }
        var tags: [UInt32: VenueTag] = [:]
        for pair in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = pair.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, tags.count < 8, let day = UInt32(parts[0]), let tag = VenueTag(hex: parts[1]),
                tag.kind == .day, tags.updateValue(tag, forKey: day) == nil
            else { throw .malformed }
        }
        return tags
    }
}

extension VenueForm.Fields {
    init(_ form: URLEncodedValues) {
        number = form["number"] ?? ""
        start = form["start"] ?? ""
        end = form["end"] ?? ""
        severity = form["severity"] ?? ""
        message = form["message"] ?? ""
    }
}

/// The identity of a form for entries: its events have the same identifiers however often it is sent.
struct VenueFormNumber: Sendable {
    /// The hidden field `form`.
    let text: String

    /// A new form's.
    init() {
        text = IdempotencyKey.fresh.text
    }

    /// - Throws: ``Refusal/malformed`` if the form has no number.
    init(of form: URLEncodedValues) throws(Refusal) {
        guard let key = form["form"].flatMap({ IdempotencyKey($0) }) else { throw .malformed }
        text = key.text
    }

    /// The identifier of one of the form's events: 122 bits that only this session can make, in the shape of a random UUID.
    func event(_ position: Int, in session: SessionID) -> UUID {
        guard let key = HashKey(bytes: session.bytes) else { preconditionFailure("an identifier has as many bytes") }
        var bytes = key.digest(for: "venue event", Array(text.utf8), Array("\(position)".utf8)).bytes
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }
}
