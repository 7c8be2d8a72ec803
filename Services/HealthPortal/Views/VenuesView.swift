import FoundationEssentials
import HTTPContract
import Pages
import VenueEventFormat
import Venues

extension Frame {
    /// All entries, with what the officer may do with each.
    func venuesPage(_ list: VenueList) -> HTML {
        let texts = words.venues
        return document(title: texts.title, script: Assets.venues) {
            tag(.h1) { texts.title }
            tag(.p, .class("lead")) { texts.lead }
            if list.mayEnter {
                tag(.div, .class("actions")) {
                    tag(.a, .class("button"), .href(PagePath.newVenue.location)) { texts.enter }
                    tag(.a, .class("button quiet"), .href(PagePath.importVenues.location)) { texts.importTitle }
                }
            }
            if list.rows.isEmpty {
                tag(.p, .class("notice")) { texts.none }
            } else {
                // The script shows it; without scripts nobody's eyes can compare tags.
                tag(.div, .id("comparison"), .flag(.hidden)) {
                    tag(.label, .set(.for, "compared")) { texts.compare }
                    // Without a name: what is typed here isn't sent.
                    tag(
                        .input, .id("compared"), .set(.type, "text"), .set(.autocomplete, "off"),
                        .set(.spellcheck, "false"), .set(.ariaDescribedby, "matches"))
                    tag(
                        .p, .id("matches"), .set(.role, "status"), .set(.dataText, texts.matches),
                        .set(.dataWarning, texts.notAVenue)
                    ) { texts.compareHint }
                }
                tag(
                    .div, .class("scroll"), .set(.role, "region"), .set(.tabindex, 0), .set(.ariaLabel, texts.title)
                ) { table(list) }
            }
        }
    }

    private func table(_ list: VenueList) -> HTML {
        let texts = words.venues
        return tag(.table) {
            tag(.caption, .class("unseen")) { texts.title }
            tag(.thead) {
                tag(.tr) {
                    for title in [texts.venue, texts.start, texts.end, texts.message, texts.state] {
                        tag(.th, .set(.scope, "col")) { title }
                    }
                    if list.mayDecide { tag(.th, .set(.scope, "col")) { texts.decision } }
                }
            }
            tag(.tbody) { for row in list.rows { self.row(row, list) } }
        }
    }

    private func row(_ row: VenueList.Row, _ list: VenueList) -> HTML {
        let texts = words.venues
        let event = row.event
        return tag(
            .tr, .class("venue"), .set(.dataText, event.tags.map(\.hex).joined(separator: ",")),
            .set(.dataSeconds, Int(event.window.days.lowerBound))
        ) {
            tag(.th, .set(.scope, "row")) {
                tag(.code) { event.tags.first?.shortHex ?? "–" }
                tag(.span, .class("match"), .flag(.hidden)) { " \(texts.same)" }
            }
            tag(.td) { portal.time.time(event.window.startDate, now: list.now, in: words) }
            tag(.td) { portal.time.time(event.window.endDate, now: list.now, in: words) }
            tag(.td) { "\(texts.severity(event.severity)): \(text(of: event.message))" }
            tag(.td) { texts.stateName(event.state) }
            if list.mayDecide {
                tag(.td) {
                    if row.isOwn, event.state == .waiting { texts.own }
                    for decision in row.decisions { form(decision, event) }
                }
            }
        }
    }

    private func form(_ decision: VenueDecision, _ event: EnteredVenue) -> HTML {
        tag(.form, .set(.method, "post"), .action("/venues/decision")) {
            hidden("event", event.id.uuidString.lowercased())
            hidden("decision", decision.rawValue)
            tag(.button, .set(.type, "submit")) { words.venues.decisionName(decision) }
        }
    }

    // MARK: Entering

    /// The form of an entry. The script shows the field of a poster, which has no name: a seed is never sent.
    func venueFormPage(_ content: VenueFormPage) -> HTML {
        let texts = words.venues
        return document(title: texts.enter, script: Assets.venues) {
            tag(.h1) { texts.enter }
            tag(.p, .class("lead")) { texts.enterLead }
            if let problem = content.problem {
                tag(.p, .class("notice warning"), .set(.role, "alert")) { texts.problem(problem) }
            }
            tag(.p, .id("unscripted"), .class("notice")) { texts.unscripted }
            // Outside the form: what is typed here isn't sent, whatever the script does.
            tag(.div, .id("poster-part"), .class("card"), .flag(.hidden)) {
                tag(.label, .set(.for, "poster")) { texts.poster }
                tag(
                    .input, .id("poster"), .set(.type, "text"), .set(.autocomplete, "off"),
                    .set(.spellcheck, "false"), .set(.ariaDescribedby, "place"))
                tag(
                    .p, .id("place"), .set(.role, "status"), .set(.dataText, texts.place),
                    .set(.dataWarning, texts.notAPoster)
                ) { texts.posterHint }
                tag(.button, .id("camera"), .set(.type, "button"), .flag(.hidden)) { texts.camera }
            }
            tag(.form, .id("venue"), .set(.method, "post"), .action(PagePath.venues.location), .class("card")) {
                hidden("form", content.form.text)
                tag(.input, .id("tags"), .set(.type, "hidden"), .set(.name, "tags"), .set(.value, ""))
                tag(.label, .set(.for, "number")) { texts.number }
                tag(
                    .input, .id("number"), .set(.type, "text"), .set(.name, "number"), .set(.inputmode, "numeric"),
                    .set(.autocomplete, "off"), .set(.pattern, "[0-9 ]*"), .set(.value, content.fields.number),
                    .set(.ariaDescribedby, "number-hint"))
                tag(.p, .id("number-hint")) { texts.numberHint }
                time("start", texts.start, content.fields.start)
                time("end", texts.end, content.fields.end)
                tag(.p) { texts.timeHint }
                tag(.label, .set(.for, "severity")) { texts.severityLabel }
                tag(.select, .id("severity"), .set(.name, "severity")) {
                    for severity in VenueSeverity.allCases {
                        option(severity.rawValue, texts.severity(severity), chosen: content.fields.severity)
                    }
                }
                message(chosen: content.fields.message)
                tag(.button, .class("primary"), .set(.type, "submit")) { texts.submit }
            }
        }
    }

    private func time(_ name: String, _ label: String, _ value: String) -> HTML {
        tag(.div) {
            tag(.label, .set(.for, name)) { label }
            tag(
                .input, .id(name), .set(.type, "datetime-local"), .set(.name, name), .set(.step, 600),
                .set(.value, value), .flag(.required))
        }
    }

    private func message(chosen: String) -> HTML {
        tag(.div) {
            tag(.label, .set(.for, "message")) { words.venues.message }
            tag(.select, .id("message"), .set(.name, "message")) {
                for message in VenueMessage.allCases { option(message.rawValue, text(of: message), chosen: chosen) }
            }
        }
    }

    private func option(_ value: String, _ text: String, chosen: String) -> HTML {
        tag(.option, .set(.value, value), .flag(.selected, if: value == chosen)) { text }
    }

    /// The form of many entries.
    func venueImportPage(_ content: VenueImportPage) -> HTML {
        let texts = words.venues
        return document(title: texts.importTitle) {
            tag(.h1) { texts.importTitle }
            tag(.p, .class("lead")) { texts.importLead }
            if !content.problems.isEmpty {
                tag(.div, .class("notice warning"), .set(.role, "alert")) {
                    tag(.p) { texts.importProblems }
                    tag(.ul) {
                        for problem in content.problems {
                            tag(.li) { "\(texts.line(problem.line)): \(texts.reason(problem.reason))" }
                        }
                    }
                }
            }
            tag(.form, .set(.method, "post"), .action(PagePath.importVenues.location), .class("card")) {
                hidden("form", content.form.text)
                tag(.label, .set(.for, "file")) { texts.importFile }
                tag(
                    .textarea, .id("file"), .set(.name, "file"), .set(.rows, 10), .set(.spellcheck, "false"),
                    .flag(.required), .set(.ariaDescribedby, "columns")
                ) { content.text }
                tag(.p, .id("columns")) {
                    tag(.code) { "# venue_id, start_time, end_time, message_type, optional_parameter" }
                }
                message(chosen: content.message.rawValue)
                tag(.button, .class("primary"), .set(.type, "submit")) { texts.importSubmit }
            }
        }
    }

    private func text(of message: VenueMessage) -> String {
        switch language {
        case .german: message.german
        case .english: message.english
        }
    }

    private func hidden(_ name: String, _ value: String) -> HTML {
        tag(.input, .set(.type, "hidden"), .set(.name, name), .set(.value, value))
    }
}
