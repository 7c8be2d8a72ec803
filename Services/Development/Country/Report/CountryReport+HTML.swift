import Foundation

extension CountryReport {
    /// The report as a page without scripts or other files. It holds numbers and fixed words only, so nothing in it has to be escaped.
    var html: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><title>A simulated country</title><style>
        body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
        table { border-collapse: collapse; margin: 1rem 0 } th, td { padding: .2rem .8rem; border-bottom: 1px solid #ddd; text-align: right }
        th:first-child, td:first-child { text-align: left } svg { width: 100%; font-size: 12px } .grid { stroke: #ddd }
        .good { color: #1e6b33 } .bad { color: #a61b1b; font-weight: bold }
        </style></head><body>
        <h1>A simulated country</h1>
        <p>\(settings.people) people, \(settings.phones) phones with the app, \(settings.days) days, seed \(settings.seed); \
        \(Plot.text(duration)) seconds, \(memory) MiB. One phone in \(settings.downloadsSampledOneIn) fetched each file on its own.</p>
        <h2>What must not happen</h2>
        \(table(["", "cases"], Oracle.Fault.allCases.map { [$0.rawValue, mark(faults[$0.rawValue] ?? 0)] }))
        <p>\(cascade.sharedKeys) keys were acknowledged; \(judgedPairs) pairs of a key and a phone that heard it were judged, \
        \(judgedVisits) pairs of a report and a visit, and \(judgedIDs) of a reported id and a phone that heard it; \
        \(differentDownloads) downloads of the sample differed.</p>
        \(injected.isEmpty ? "" : "<h2>Injected faults</h2>" + table(["", "times"], injected.sorted { $0.key < $1.key }.map {
            [$0.key, "\($0.value)"]
        }))
        <h2>Epidemic</h2>
        \(Plot(title: "Infections a day", unit: "infections a day", lines: [
            Plot.Line(name: "with the app", values: days.map { Double($0.infections) }),
            Plot.Line(name: "without warnings", values: days.map { Double($0.infectionsWithoutApp) }),
            Plot.Line(name: "positive tests", values: days.map { Double($0.positiveTests) }),
            Plot.Line(name: "red warnings", values: days.map { Double($0.redWarnings) }),
        ]).svg)
        \(table(["day", "infections", "without warnings", "positive tests", "red warnings"], days.map {
            [$0.day, "\($0.infections)", "\($0.infectionsWithoutApp)", "\($0.positiveTests)", "\($0.redWarnings)"]
        }))
        <h2>From infection to warning</h2>
        \(table(["", "number"], cascadeRows))
        <h2>Whom phones warned</h2>
        \(table(["colour", "people", "with close contact", "with contact", "infected by then"], alerts.map { row in
            [row.colour, "\(row.people)"] + [row.closeContacts, row.contacts, row.infected].map { share($0, of: row.people) }
        }))
        <p>A contact is one with somebody who uploaded, in the fourteen days before; a close one lasted 15 minutes of a day at less than \
        two metres. The share with a close contact is the positive predictive value.</p>
        <h2>Completeness</h2>
        \(table(["", "due", "happened"], completeness.map { [$0.name, "\($0.due)", share($0.happened, of: $0.due)] }))
        <h2>Delays</h2>
        \(table(["hours", "median", "90th percentile"], delays.map {
            [$0.name, $0.median.map(Plot.text) ?? "–", $0.ninetieth.map(Plot.text) ?? "–"]
        }))
        <h2>Attackers</h2>
        \(table(["what they want to know", "prevented", "questions", "right answers", "right answers, control"], attacks.map {
            [$0.name, $0.isPrevented ? "yes" : "no", "\($0.questions)", percent($0.accuracy), percent($0.control)]
        }))
        <p>Guessing gives half of the answers. The control is the same attack on evidence that has the weakness it looks for. What is \
        marked as prevented must be a guess.</p>
        <h2>Load</h2>
        \(Plot(title: "Requests an hour", unit: "requests an hour", lines: Traffic.Class.allCases.map { name in
            Plot.Line(name: name.rawValue, values: hours.map { Double($0.requests[name.rawValue] ?? 0) })
        }.filter { $0.values.contains { $0 > 0 } }).svg)
        \(table(["per phone and day", "requests", "bytes"], Traffic.Class.allCases.map {
            [$0.rawValue, Plot.text(requestsPerPhone[$0.rawValue] ?? 0), Plot.text(bytesPerPhone[$0.rawValue] ?? 0)]
        }))
        \(table(["phones", "number", "requests a day", "bytes a day"], kinds.map {
            [$0.name, "\($0.phones)", Plot.text($0.requests), Plot.text($0.bytes)]
        }))
        <p>Of the published keys, \(share(fillers.part, of: fillers.whole)) are fillers.</p>
        \(Plot(title: "CPU by hour of the day", unit: "CPU milliseconds an hour, by hour of the day (UTC)", lines: processorLines).svg)
        \(table(["process", "CPU seconds", "most memory, MiB"], processors.sorted { $0.value > $1.value }.map {
            [$0.key, Plot.text($0.value), processMemory[$0.key].map { "\($0)" } ?? "–"]
        }))
        </body></html>

        """
    }

    /// The processes that took most.
    private var processorLines: [Plot.Line] {
        processors.sorted { $0.value > $1.value }.prefix(6).map { name, _ in
            Plot.Line(
                name: name,
                values: (0..<24).map { hour in
                    let rows = hours.filter { $0.hour % 24 == hour }
                    return 1000 * rows.reduce(0) { $0 + ($1.processors[name] ?? 0) } / Double(max(1, rows.count))
                })
        }
    }

    private var cascadeRows: [[String]] {
        [
            ["infected", "\(cascade.infected)"], ["tested positive", "\(cascade.positive)"],
            ["tests registered by code or teleTAN", "\(cascade.registered)"],
            ["agreed to upload", "\(cascade.consents)"], ["uploads", "\(cascade.uploads)"],
            ["check-ins at venues", "\(cascade.checkIns)"], ["visits shared", "\(cascade.sharedVisits)"],
            ["visitors whose phones found a report", "\(cascade.warnedVisitors)"],
            ["reported a positive test by the Further app", "\(cascade.furtherReporters)"],
            ["were told by it that they had met one of them", "\(cascade.furtherTold)"],
            ["phones that showed red", "\(cascade.warnedRed)"], ["phones that showed green", "\(cascade.warnedGreen)"],
            ["close contacts of uploaders with the app", "\(notification.closeContacts)"],
            ["of them warned red", "\(notification.closeContactsWarned)"],
        ]
    }

    private func percent(_ share: Double) -> String { "\(Plot.text(100 * share)) %" }

    private func share(_ part: Int, of whole: Int) -> String {
        whole == 0 ? "\(part)" : "\(part) (\(Plot.text(100 * Double(part) / Double(whole))) %)"
    }

    private func mark(_ cases: Int) -> String {
        cases == 0 ? #"<span class="good">0</span>"# : #"<span class="bad">\#(cases)</span>"#
    }

    private func table(_ heads: [String], _ rows: [[String]]) -> String {
        let head = heads.map { "<th>\($0)</th>" }.joined()
        let body = rows.map { "<tr>" + $0.map { "<td>\($0)</td>" }.joined() + "</tr>" }.joined(separator: "\n")
        return "<table><thead><tr>\(head)</tr></thead><tbody>\(body)</tbody></table>"
    }
}
