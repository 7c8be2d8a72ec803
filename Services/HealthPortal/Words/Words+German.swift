import Statistics
import VenueEventFormat
import Venues

extension Words {
    /// The texts in German.
    static let german = Words(
        frame: Frame(
            product: "Gesundheitsportal",
            skip: "Zum Inhalt",
            navigation: "Seiten",
            signIn: "Anmelden",
            signOut: "Abmelden",
            signedInAs: { "Angemeldet als \($0)" },
            otherLanguage: "English",
            sessionEnds: "Sie werden bald abgemeldet, weil Sie das Portal eine Weile nicht benutzt haben.",
            stay: "Angemeldet bleiben"),
        start: Start(
            title: "Codes für positiv getestete Personen",
            lead:
                "Beschäftigte der Gesundheitsämter erzeugen hier einen einmaligen Code und lesen ihn vor. Damit kann eine Person andere über die App warnen.",
            points: [
                "Ein Code ist in einer Sekunde da. Er gilt eine Stunde, ein Code für eine Veranstaltung zwei Tage.",
                "Das Portal fragt nie nach Name, Telefonnummer oder Testergebnis.",
                "Niemand kann später feststellen, wer welchen Code bekommen hat.",
            ],
            noAccount: "Den Zugang erhalten Sie von der Administration Ihrer Behörde."),
        codes: Codes(
            title: "Code erzeugen",
            lead: "Ein Code je Person. Über die anrufende Person wird hier nichts eingegeben.",
            scriptTitle: "Am Telefon",
            script: [
                "Klären Sie, ob die Person einen Code erhalten darf: Ihr Test ist positiv, und die App hat dafür kein Ergebnis. Schreiben Sie nichts auf.",
                "Bitten Sie die Person, die App zu öffnen und „TAN eingeben“ zu wählen. Mit dem Lautsprecher hat sie die Hände frei.",
                "Erzeugen Sie den Code und lesen Sie ihn langsam vor: drei, drei und vier Zeichen, jedes mit seinem Wort.",
                "Lassen Sie sich den Code vorlesen.",
            ],
            testTitle: "Positiver Test",
            testText: "Für eine Person mit positivem Test. Gilt eine Stunde.",
            testButton: "Code für einen Test erzeugen",
            eventTitle: "Veranstaltung",
            eventText: "Für Veranstaltende, die ihre Gäste warnen. Gilt zwei Tage.",
            eventAuthority: "Zuständiges Gesundheitsamt",
            eventChoose: "Bitte wählen",
            eventButton: "Code für eine Veranstaltung erzeugen",
            remaining: {
                $0 == 1
                    ? "In dieser Stunde können Sie noch einen Code erzeugen."
                    : "In dieser Stunde können Sie noch \($0) Codes erzeugen."
            },
            stillShown: "Ihr letzter Code wird noch angezeigt.",
            showLast: "Letzten Code anzeigen",
            trainingTitle: "Üben",
            trainingText: "Ein Übungscode sieht aus wie ein echter, aber keine App nimmt ihn an.",
            trainingButton: "Übungscode erzeugen",
            trainingStart: "Üben beginnen",
            trainingEnd: "Üben beenden",
            trainingNotice: "Übung: Diese Formulare erzeugen keine echten Codes."),
        currentCode: CurrentCode(
            title: { "Code für \($0)" },
            test: "einen Test",
            event: "eine Veranstaltung",
            readOut: "Zum Vorlesen, mit den Wörtern",
            characters: "Der Code, zehn Zeichen",
            validUntil: { "Gültig bis \($0)" },
            minutesLeft: { $0 == 1 ? "noch 1 Minute" : "noch \($0) Minuten" },
            expired: "Dieser Code ist abgelaufen. Erzeugen Sie einen neuen.",
            authority: "Gesundheitsamt",
            nextTitle: "Was die Person jetzt tut",
            next: [
                "Den Code in die App eingeben.",
                "Der App folgen und dem Teilen der Warnung zustimmen.",
            ],
            told: "Mitgeteilt – Code ausblenden",
            showAgain: "Verhört – noch einmal zeigen",
            hidden: "Der Code ist ausgeblendet.",
            hiddenForGood:
                "Der Code kann nicht mehr angezeigt werden. Erzeugen Sie einen neuen, wenn die Person einen braucht.",
            another: "Weiteren Code erzeugen",
            training: "Übung: Keine App nimmt diesen Code an.",
            tableTitle: "Andere Buchstabierwörter",
            character: "Zeichen",
            words: "DIN 5009 (2022)",
            formerWords: "Deutsch, bis 2022",
            internationalWords: "International",
            printNote: "Ein Code wird nicht gedruckt. Er wird vorgelesen."),
        refusals: Refusals(
            malformed: Refused(
                title: "Diese Anfrage ist nicht verständlich",
                whatToDo: ["Gehen Sie zurück zur Seite und versuchen Sie es noch einmal. Es wurde kein Code erzeugt."]),
            otherHost: Refused(
                title: "Das Portal hat eine andere Adresse",
                whatToDo: [
                    "Öffnen Sie das Portal unter der Adresse, die Ihre Behörde Ihnen genannt hat. Es wurde nichts geändert.",
                    "Für die Administration: Die Einstellung origins (VIGIL_PORTAL_ORIGINS) nennt diese Adresse nicht.",
                ]),
            notSignedIn: Refused(
                title: "Sie sind abgemeldet",
                whatToDo: ["Ihre Sitzung ist beendet. Melden Sie sich wieder an. Ein vorgelesener Code bleibt gültig."]),
            noRole: Refused(
                title: "Ihr Konto erlaubt das nicht",
                whatToDo: [
                    "Bitten Sie die Administration Ihrer Behörde um die Rolle, die diese Seite verlangt. Es wurde nichts geändert."
                ]),
            otherSite: Refused(
                title: "Diese Anfrage kam von einer fremden Seite",
                whatToDo: [
                    "Es wurde nichts geändert. Öffnen Sie das Portal unter seiner eigenen Adresse und versuchen Sie es dort noch einmal."
                ]),
            notFound: Refused(
                title: "Diese Seite gibt es nicht", whatToDo: ["Prüfen Sie die Adresse, oder gehen Sie zur Startseite."]
            ),
            formUsed: Refused(
                title: "Dieses Formular wurde schon verwendet",
                whatToDo: ["Sein Code wurde erzeugt und ausgeblendet. Für einen weiteren öffnen Sie das Formular neu."]),
            entryUsed: Refused(
                title: "Dieses Formular hat seinen Eintrag schon gemacht",
                whatToDo: [
                    "Sein Eintrag hat andere Werte und bleibt, wie er ist. Öffnen Sie das Formular neu, um einen weiteren zu machen."
                ]),
            ownEntry: Refused(
                title: "Über diesen Eintrag entscheidet eine andere Person",
                whatToDo: [
                    "Sie haben ihn selbst erfasst. Bitten Sie eine Kollegin oder einen Kollegen, ihn mit dem Plakat zu vergleichen. Nichts wurde geändert."
                ]),
            decided: Refused(
                title: "Über diesen Eintrag wurde anders entschieden",
                whatToDo: ["Jemand anderes war schneller. Die Liste zeigt, wie. Nichts wurde geändert."]),
            full: Refused(
                title: "Es gibt zu viele Einträge",
                whatToDo: [
                    "Nichts wurde erfasst. Einträge verschwinden 14 Tage nach ihrem Ende. Sagen Sie Ihrer Administration Bescheid."
                ]),
            tooMany: { time in
                Refused(
                    title: "Im Moment keine weiteren Codes",
                    whatToDo: [
                        "Die Grenze für diese Stunde ist erreicht. Der nächste Code ist um \(time) möglich.",
                        "Wenn das öfter vorkommt, sagen Sie Ihrer Administration Bescheid.",
                    ])
            },
            providerAway: Refused(
                title: "Die Anmeldung ist im Moment nicht möglich",
                whatToDo: [
                    "Der Dienst, der Ihr Konto prüft, antwortet nicht. Versuchen Sie es in einigen Minuten noch einmal.",
                    "Wenn es länger dauert, sagen Sie Ihrer Administration Bescheid.",
                ]),
            misconfigured: Refused(
                title: "Das Portal ist nicht richtig eingerichtet",
                whatToDo: [
                    "Es liegt nicht an Ihnen und nicht an Ihrer Rolle. Es wurde nichts geändert.",
                    "Melden Sie sich neu an. Kommt diese Seite wieder, hilft Warten nicht: Sagen Sie Ihrer Administration, dass das Protokoll den Grund nennt.",
                ]),
            verificationAway: Refused(
                title: "Im Moment kann kein Code erzeugt werden",
                whatToDo: [
                    "Der Dienst, der Codes erzeugt, antwortet nicht. Versuchen Sie es in einer Minute noch einmal: Ein zweiter Code entsteht dadurch nicht."
                ]),
            signInFailed: Refused(
                title: "Die Anmeldung hat nicht geklappt",
                whatToDo: [
                    "Beginnen Sie neu, in nur einem Fenster. Schlägt es wieder fehl, sagen Sie Ihrer Administration Bescheid."
                ]),
            signInRefused: Refused(
                title: "Sie wurden nicht angemeldet",
                whatToDo: [
                    "Die Anmeldung wurde abgebrochen oder abgelehnt. Versuchen Sie es noch einmal, oder fragen Sie Ihre Administration."
                ]),
            unavailable: Refused(
                title: "Hier ist etwas schiefgegangen",
                whatToDo: [
                    "Versuchen Sie es noch einmal. Schlägt es wieder fehl, nennen Sie Ihrer Administration die Uhrzeit."
                ]),
            callBackTitle: "Sagen Sie am Telefon",
            callBack: [
                "„Unser System ist im Moment nicht erreichbar. Bitte rufen Sie in einer halben Stunde noch einmal an. Ihr Test bleibt gültig, es geht nichts verloren.“"
            ],
            toStart: "Zur Startseite",
            toCodes: "Zum Formular",
            toVenues: "Zur Liste"),
        venues: .german,
        status: Status(
            title: "Status",
            lead: "Ob alles antwortet, wovon Codes abhängen. Keine Zahl auf dieser Seite zählt Menschen.",
            service: "Dienst",
            state: "Zustand",
            codes: "Codes erzeugen und einlösen",
            signIn: "Anmeldung",
            ready: "bereit",
            closed: "bis zur nächsten vollen Stunde kann kein Code eingelöst werden: zu viele falsche wurden versucht",
            away: "keine Antwort",
            notices: "Hinweise",
            noNotices: "Es gibt keine Hinweise."),
        statistics: Statistics(
            title: "Zahlen",
            lead:
                "Diese Zahlen wurden einmal freigegeben und ändern sich nicht mehr. Sie sind gerundet, kleine werden zurückgehalten.",
            period: "Zeitraum",
            weeks: { "\($0) Wochen" },
            day: "Tag",
            week: { number, year in "KW \(number), \(year)" },
            weekShort: { "KW \($0)" },
            otherDays: { "\($0), Tage ohne Wert zusammen" },
            about: { "etwa \($0)" },
            atLeast: { "mindestens \($0)" },
            withheld: "zurückgehalten",
            withheldLegend: "Schraffiert: zurückgehalten, weil die Zahl klein ist.",
            notYet: "noch nicht freigegeben",
            table: { "\($0) als Tabelle" },
            wholePeriod: { "\($0), gesamter Zeitraum" },
            country: "Land",
            otherCountries: "Übrige Länder",
            save: "Diese Zahlen speichern:",
            none: "Für diesen Zeitraum wurde noch keine Zahl freigegeben.",
            why: Article.Section(
                title: "Warum manche Werte fehlen",
                paragraphs: [
                    "Eine kleine Zahl kann zu einer Person führen. Ein Wert unter seinem Mindestwert wird deshalb zurückgehalten, und mit ihm ein weiterer, wenn sich der erste sonst ausrechnen ließe.",
                    "Ein Tag wird freigegeben, wenn seine Codes nicht mehr verwendbar sind: bei Tests zwei Tage später, bei Veranstaltungen vier. Zahlen, in denen eine Person eine Einheit ist, enthalten ein einmal hinzugefügtes Zufallsrauschen. Kleine Unterschiede bedeuten deshalb nichts.",
                ]),
            donated: Article.Section(
                title: "Zahlen aus gespendeten Daten",
                paragraphs: [
                    "Warnungen durch die App, Tests nach Warnungen, die Zeit bis zum Ergebnis und die Versionen der App stammen aus Daten, die Menschen zur Auswertung spenden. Sie tun das freiwillig und sind keine Stichprobe der Bevölkerung: Was für sie gilt, muss nicht für andere gelten, und eine Veränderung von Woche zu Woche sagt mehr als ein Wert.",
                    "Nach Ablauf ihrer Stunde wird eine Spende zerlegt, und nichts, was aufbewahrt wird, führt zu der Person, von der sie stammt. Jede Anzahl erhält zuallererst und nur einmal ein Zufallsrauschen, das alles verbirgt, was eine Person in einer Woche spenden kann (ε = ½ je Anzahl). Ein Anteil braucht mindestens 1.000 Warnungen, Ergebnisse oder Spenden; das Rauschen verschiebt ihn dann um bis zu zehn Punkte. Wochen dieser Zahlen bestehen aus Tagen der Weltzeit.",
                ]),
            figure: { figure in
                switch figure {
                case .codesMade:
                    (
                        "Erzeugte Codes",
                        "Codes, die Beschäftigte erzeugt haben, nach Art. Ein Tag mit weniger als zehn wird zurückgehalten."
                    )
                case .codesRedeemed:
                    (
                        "Eingelöste Codes",
                        "Codes dieser Tage, die in eine App eingegeben wurden. Zurückgehalten, wenn es weniger als zehn waren oder bei weniger als zehn nicht geschah."
                    )
                case .shareRedeemed:
                    (
                        "Anteil eingelöster Codes",
                        "Eingelöste von 100 erzeugten Codes, aus den freigegebenen Werten, in Fünferschritten."
                    )
                case .wrongEntries:
                    ("Falsche Eingaben", "Abgelehnte Codes: Tippfehler, Wiederholungen und Rateversuche.")
                case .testsRegistered:
                    ("Registrierte Tests", "Tests, die über ihren QR-Code in einer App registriert wurden.")
                case .resultsPosted: ("Ergebnisse", "Ergebnisse von Laboren und Teststellen, nach Art des Tests.")
                case .warningsSent:
                    (
                        "Warnungen",
                        "Uploads von Personen, die positiv getestet wurden oder sich ohne registrierten Test selbst gemeldet haben, mit Zufallsrauschen."
                    )
                case .publishedEntries:
                    (
                        "Veröffentlichte Einträge",
                        "Schlüssel und Besuchsmeldungen, die alle Apps herunterladen, samt Füllern, die verbergen, wie viele echt sind."
                    )
                case .publicationDelay:
                    (
                        "Verzögerung der Veröffentlichung",
                        "Zeit vom Ende einer Stunde, bis ihre Schlüssel heruntergeladen werden können."
                    )
                case .pushWaves:
                    (
                        "Stille Push-Nachrichten",
                        "Nachrichten, die Apps wecken, und wie viele der Push-Dienst angenommen hat."
                    )
                case .keysShared:
                    (
                        "Mit anderen Ländern geteilte Schlüssel",
                        "Schlüssel, die in andere Länder gingen, samt Füllern, die verbergen, wie viele echt sind."
                    )
                case .keysImported:
                    (
                        "Schlüssel aus anderen Ländern",
                        "Schlüssel, die aus anderen Ländern kamen, nach Herkunft. Im Zeitverlauf stehen die vier Länder mit den meisten, in den Dateien alle."
                    )
                case .donatedWarnings:
                    (
                        "Warnungen durch die App",
                        "Spenden, in denen das Risiko seit der letzten Spende der Person hoch geworden war, mit Zufallsrauschen: durch Begegnungen oder nur durch Besuche von Orten."
                    )
                case .shareTested:
                    (
                        "Tests nach Warnungen",
                        "Gespendete Tests, die bei hohem Risiko in der App registriert wurden, auf 100 gespendete Warnungen, in Fünferschritten. Eine Person kann sich mehrmals testen."
                    )
                case .resultDelay:
                    (
                        "Zeit bis zum Ergebnis",
                        "Von 100 gespendeten Ergebnissen die, die innerhalb dieser Stunden nach der Registrierung kamen, nach Art des Tests, in Fünferschritten. Das Diagramm zeigt die schnellsten."
                    )
                case .appVersions:
                    (
                        "Versionen der App",
                        "Von 100 Spenden die aus der neuesten Version, aus der davor oder aus einer älteren, in Fünferschritten. Das Diagramm zeigt die veralteten."
                    )
                }
            },
            unit: { unit in
                switch unit {
                case .codes: "Anzahl Codes"
                case .percent: "Prozent"
                case .entries: "Einträge"
                case .tests: "Anzahl Tests"
                case .results: "Ergebnisse"
                case .warnings: "Warnungen"
                case .seconds: "Sekunden"
                case .pushes: "Nachrichten"
                case .keys: "Anzahl Schlüssel"
                }
            },
            cell: { name in
                switch name {
                case "test": "Tests"
                case "event": "Veranstaltungen"
                case "pcr-positive": "PCR, positiv"
                case "pcr-other": "PCR, andere"
                case "rapid-positive": "Schnelltest, positiv"
                case "rapid-other": "Schnelltest, andere"
                case "point-of-care-positive": "Vor Ort, positiv"
                case "point-of-care-other": "Vor Ort, andere"
                case "keys": "Schlüssel"
                case "reports": "Meldungen"
                case "median": "Mittlere"
                case "worst": "Längste"
                case "waves": "Wellen"
                case "registered": "Registriert"
                case "sent": "Gesendet"
                case "accepted": "Angenommen"
                case "removed": "Entfernt"
                case "encounters": "Begegnungen"
                case "visits": "Nur Besuche"
                case "pcr-24": "PCR, 24 Stunden"
                case "pcr-48": "PCR, 48 Stunden"
                case "pcr-later": "PCR, später"
                case "rapid-1": "Schnell, 1 Stunde"
                case "rapid-6": "Schnell, 6 Stunden"
                case "rapid-later": "Schnell, später"
                case "ios-newest": "iPhone, neueste"
                case "ios-previous": "iPhone, vorige"
                case "ios-older": "iPhone, ältere"
                case "android-newest": "Android, neueste"
                case "android-previous": "Android, vorige"
                case "android-older": "Android, ältere"
                case "at": "Österreich"
                case "be": "Belgien"
                case "bg": "Bulgarien"
                case "ch": "Schweiz"
                case "cy": "Zypern"
                case "cz": "Tschechien"
                case "de": "Deutschland"
                case "dk": "Dänemark"
                case "ee": "Estland"
                case "es": "Spanien"
                case "fi": "Finnland"
                case "fr": "Frankreich"
                case "gr": "Griechenland"
                case "hr": "Kroatien"
                case "hu": "Ungarn"
                case "ie": "Irland"
                case "is": "Island"
                case "it": "Italien"
                case "li": "Liechtenstein"
                case "lt": "Litauen"
                case "lu": "Luxemburg"
                case "lv": "Lettland"
                case "mt": "Malta"
                case "nl": "Niederlande"
                case "no": "Norwegen"
                case "pl": "Polen"
                case "pt": "Portugal"
                case "ro": "Rumänien"
                case "se": "Schweden"
                case "si": "Slowenien"
                case "sk": "Slowakei"
                default: name
                }
            }),
        help: Article(
            title: "Hilfe",
            sections: [
                .init(
                    title: "Die Person hat sich vertippt",
                    paragraphs: [
                        "Das letzte Zeichen prüft die anderen: Die App meldet die meisten Tippfehler sofort. Lesen Sie den Code noch einmal vor, Zeichen für Zeichen. Innerhalb von zehn Minuten zeigt „Verhört – noch einmal zeigen“ einen ausgeblendeten Code wieder an."
                    ]),
                .init(
                    title: "Der Code ist abgelaufen",
                    paragraphs: ["Erzeugen Sie einen neuen. Ein abgelaufener Code lässt sich nicht verlängern."]),
                .init(
                    title: "Mehrere Personen rufen gemeinsam an",
                    paragraphs: [
                        "Jede Person braucht einen eigenen Code. Erzeugen Sie den nächsten, wenn die erste Person ihren eingegeben hat."
                    ]),
                .init(
                    title: "Welche Buchstabiertafel?",
                    paragraphs: [
                        "Deutschsprachige kennen die Städte oder die Vornamen, andere die internationalen Wörter. Alle stehen unter dem Code. Codes enthalten weder 0 noch 1, I, L oder O."
                    ]),
                .init(
                    title: "Üben",
                    paragraphs: [
                        "„Üben beginnen“ erzeugt gekennzeichnete Codes, die nirgends gespeichert sind und die keine App annimmt."
                    ]),
                .init(
                    title: "Tastatur",
                    paragraphs: [
                        "Tab geht zum nächsten Knopf oder Link, Eingabe- und Leertaste drücken ihn. Nach dem Erzeugen liegt der Fokus auf der Überschrift des Codes: Ein zweites Drücken der Eingabetaste erzeugt keinen zweiten."
                    ]),
            ]),
        accessibility: Article(
            title: "Barrierefreiheit",
            sections: [
                .init(
                    title: "Stand",
                    paragraphs: [
                        "Dieses Portal strebt die Stufe AA der Web Content Accessibility Guidelines 2.2 an und damit EN 301 549. Vor jeder Veröffentlichung laufen automatische Prüfungen auf jeder Seite in beiden Sprachen, mit und ohne JavaScript, mit vergrößertem Text, in schmalen Fenstern, mit hohem Kontrast und nur mit der Tastatur."
                    ]),
                .init(
                    title: "Bekannte Grenzen",
                    paragraphs: [
                        "Es gibt keine Fassung in Leichter Sprache und keine in Gebärdensprache. Eine Prüfung durch eine außenstehende Stelle hat noch nicht stattgefunden."
                    ]),
                .init(
                    title: "Barriere melden",
                    paragraphs: ["Sagen Sie uns, was für Sie nicht funktioniert. Wir antworten."]),
            ]),
        privacy: Article(
            title: "Datenschutz",
            sections: [
                .init(
                    title: "Anrufende",
                    paragraphs: [
                        "Das Portal fragt nichts über Anrufende und speichert nichts über sie. Ein Code wird nur als Streuwert mit Schlüssel gespeichert, und nichts führt von ihm zu einer beschäftigten oder anrufenden Person."
                    ]),
                .init(
                    title: "Beschäftigte",
                    paragraphs: [
                        "Solange Sie angemeldet sind, sind Ihr Name und der Identitätsnachweis Ihrer Behörde verschlüsselt gespeichert, höchstens zehn Stunden. Beim Abmelden werden sie gelöscht.",
                        "Führt Ihre Behörde ein Prüfprotokoll, hat jeder Code 30 Tage lang einen Eintrag, den nur die Revision der Behörde lesen kann. Beim Dienst kann es niemand.",
                        "Zum Eintrag eines Orts ist bis 14 Tage nach seinem Ende ein Streuwert mit Schlüssel gespeichert, wer ihn erfasst und wer ihn freigegeben hat, damit es zwei Personen sind. Vom Ort ist ein Wert gespeichert, den nur vergleichen kann, wer das Plakat oder die Nummer hat. Der Code eines Plakats verlässt den Browser nie.",
                        "Das Protokoll des Portals nennt keine Person, und keine Seite zählt Codes nach Beschäftigten.",
                    ]),
                .init(
                    title: "Cookies",
                    paragraphs: [
                        "Das Portal setzt ein Cookie für Ihre Sitzung, eines während der Anmeldung und eines für Ihre Sprache. Andere gibt es nicht, und keine fremde Seite wird geladen."
                    ]),
            ]),
        contact: "Kontakt",
        months: [
            "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
            "Dezember",
        ],
        clock: { "\($0) Uhr" },
        date: { day, month, year in "\(day). \(month) \(year)" },
        decimal: { grouped($0, separator: ".") })
}

extension Words.Venues {
    fileprivate static let german = Words.Venues(
        title: "Orte",
        lead:
            "Warnungen für Menschen, die zu einer bestimmten Zeit an einem Ort waren. Telefone vergleichen sie mit ihrem eigenen Tagebuch, und niemand erfährt, wer dort war.",
        none: "Es gibt keine Einträge.",
        venue: "Ort",
        start: "Von",
        end: "Bis",
        message: "Hinweis",
        state: "Stand",
        decision: "Entscheidung",
        own: "Von Ihnen erfasst: Eine andere Person entscheidet.",
        same: "✓ derselbe Ort",
        compare: "Mit einem Plakat oder einer Nummer vergleichen",
        compareHint: "Der Link des Plakats oder die Nummer. Sie bleiben in diesem Browser.",
        matches: "Einträge dieses Orts: #",
        notAVenue: "Das ist weder der Link eines Plakats noch eine Nummer.",
        stateName: { state in
            switch state {
            case .waiting: "wartet auf eine zweite Person"
            case .approved: "freigegeben, veröffentlicht"
            case .refused: "abgelehnt"
            case .revoked: "widerrufen"
            }
        },
        decisionName: { decision in
            switch decision {
            case .approve: "Freigeben"
            case .refuse: "Ablehnen"
            case .revoke: "Widerrufen"
            }
        },
        severity: { severity in
            switch severity {
            case .inform: "Information"
            case .test: "Bitte um einen Test"
            }
        },
        enter: "Ort erfassen",
        enterLead:
            "Eine zweite Person gibt den Eintrag frei, bevor Telefone ihn bekommen. Erfassen Sie nichts über Personen.",
        unscripted:
            "Ein Plakat kann nur mit JavaScript erfasst werden, weil sein Geheimnis im Browser bleiben muss. Ohne JavaScript geben Sie die Nummer des Orts ein.",
        poster: "Der Code des Plakats",
        posterHint: "Der Link im Code, etwa https://…/venue#v1.… Er bleibt in diesem Browser.",
        place: "Auf dem Plakat steht: #",
        notAPoster: "Das ist kein Link eines Plakats.",
        camera: "Mit der Kamera lesen",
        number: "Oder die Nummer des Orts (GLN)",
        numberHint: "13 Ziffern. Wer das Verzeichnis kennt, erkennt an der Warnung den Ort.",
        timeHint:
            "Ortszeit, in Schritten von zehn Minuten. Höchstens ein Tag, innerhalb der letzten 14 Tage und schon vorbei.",
        severityLabel: "Worum die Menschen gebeten werden",
        submit: "Erfassen",
        problem: { problem in
            switch problem {
            case .venue:
                "Geben Sie entweder ein Plakat oder eine Nummer an. Das Plakat muss noch einmal eingegeben werden."
            case .number: "Diese Nummer stimmt nicht: Sie hat 13 Ziffern, und die letzte prüft die anderen."
            case .time:
                "Eine Zeit ist nicht lesbar, oder die Uhren haben sie an diesem Tag übersprungen. Schreiben Sie sie als 2026-05-25T10:00."
            case .window(.offGrid): "Zeiten gehen in Schritten von zehn Minuten."
            case .window(.reversed): "Das Ende muss nach dem Anfang liegen."
            case .window(.tooLong): "Ein Eintrag umfasst höchstens 24 Stunden. Machen Sie mehrere."
            case .window(.tooOld): "Der Anfang liegt mehr als 14 Tage zurück. Telefone haben diese Zeit vergessen."
            case .window(.future): "Das Ende liegt noch in der Zukunft. Erfassen Sie, was vorbei ist."
            }
        },
        importTitle: "Einträge importieren",
        importLead:
            "Eine Liste mit den Spalten des NHS, für Orte mit einer Nummer. Sie wird ganz übernommen oder gar nicht.",
        importFile: "Die Zeilen, höchstens 50 nach der Überschrift",
        importSubmit: "Importieren",
        importProblems: "Nichts wurde importiert. Berichtigen Sie diese Zeilen:",
        line: { "Zeile \($0)" },
        reason: { reason in
            switch reason {
            case .header: "die erste Zeile nennt die Spalten nicht"
            case .columns: "fünf Werte in Anführungszeichen sind nötig"
            case .number: "die Nummer stimmt nicht"
            case .time: "Zeiten werden als 2026-05-25T10:00:00Z geschrieben"
            case .offGrid: "Zeiten gehen in Schritten von zehn Minuten"
            case .reversed: "das Ende liegt nicht nach dem Anfang"
            case .tooLong: "sie umfasst mehr als 24 Stunden"
            case .tooOld: "sie begann vor mehr als 14 Tagen"
            case .future: "sie ist noch nicht vorbei"
            case .type: "der Typ ist M1 oder M2"
            case .parameter: "der letzte Wert muss leer sein"
            case .repeated: "eine andere Zeile sagt dasselbe"
            case .count: "es gibt keine Zeilen oder mehr als 50"
            }
        })
}
