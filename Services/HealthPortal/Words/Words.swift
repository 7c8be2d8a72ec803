import FoundationEssentials
import Statistics
import VenueEventFormat
import Venues

/// All texts of the pages in one language. A further language is a case of ``Language`` and a file like `Words+English.swift`.
///
/// The compiler checks that every language has every text with the same placeholders: each text is a property of this type.
struct Words: Sendable {
    struct Frame: Sendable {
        let product: String
        let skip: String
        let navigation: String
        let signIn: String
        let signOut: String
        let signedInAs: @Sendable (_ name: String) -> String
        /// The other language, in that language.
        let otherLanguage: String
        let sessionEnds: String
        let stay: String
    }

    struct Start: Sendable {
        let title: String
        let lead: String
        let points: [String]
        let noAccount: String
    }

    struct Codes: Sendable {
        let title: String
        let lead: String
        let scriptTitle: String
        let script: [String]
        let testTitle: String
        let testText: String
        let testButton: String
        let eventTitle: String
        let eventText: String
        let eventAuthority: String
        let eventChoose: String
        let eventButton: String
        let remaining: @Sendable (_ count: Int) -> String
        let stillShown: String
        let showLast: String
        let trainingTitle: String
        let trainingText: String
        let trainingButton: String
        let trainingStart: String
        let trainingEnd: String
        let trainingNotice: String
    }

    struct CurrentCode: Sendable {
        let title: @Sendable (_ kind: String) -> String
        let test: String
        let event: String
        let readOut: String
        let characters: String
        let validUntil: @Sendable (_ time: String) -> String
        let minutesLeft: @Sendable (_ minutes: Int) -> String
        let expired: String
        let authority: String
        let nextTitle: String
        let next: [String]
        let told: String
        let showAgain: String
        let hidden: String
        let hiddenForGood: String
        let another: String
        let training: String
        let tableTitle: String
        let character: String
        let words: String
        let formerWords: String
        let internationalWords: String
        let printNote: String
    }

    struct Refusals: Sendable {
        let malformed: Refused
        let otherHost: Refused
        let notSignedIn: Refused
        let noRole: Refused
        let otherSite: Refused
        let notFound: Refused
        let formUsed: Refused
        let entryUsed: Refused
        let ownEntry: Refused
        let decided: Refused
        let full: Refused
        let tooMany: @Sendable (_ time: String) -> Refused
        let providerAway: Refused
        let misconfigured: Refused
        let verificationAway: Refused
        let signInFailed: Refused
        let signInRefused: Refused
        let unavailable: Refused
        let callBackTitle: String
        let callBack: [String]
        let toStart: String
        let toCodes: String
        let toVenues: String
    }

    /// Tracers' entries. A `#` stands for what the script puts there.
    struct Venues: Sendable {
        let title: String
        let lead: String
        let none: String
        let venue: String
        let start: String
        let end: String
        let message: String
        let state: String
        let decision: String
        let own: String
        let same: String
        let compare: String
        let compareHint: String
        let matches: String
        let notAVenue: String
        let stateName: @Sendable (EnteredVenue.State) -> String
        let decisionName: @Sendable (VenueDecision) -> String
        let severity: @Sendable (VenueSeverity) -> String
        let enter: String
        let enterLead: String
        let unscripted: String
        let poster: String
        let posterHint: String
        let place: String
        let notAPoster: String
        let camera: String
        let number: String
        let numberHint: String
        let timeHint: String
        let severityLabel: String
        let submit: String
        let problem: @Sendable (VenueForm.Problem) -> String
        let importTitle: String
        let importLead: String
        let importFile: String
        let importSubmit: String
        let importProblems: String
        let line: @Sendable (_ number: Int) -> String
        let reason: @Sendable (VenueImport.Reason) -> String
    }

    /// What happened, and what to do.
    struct Refused: Sendable {
        let title: String
        let whatToDo: [String]
    }

    struct Status: Sendable {
        let title: String
        let lead: String
        let service: String
        let state: String
        let codes: String
        let signIn: String
        let ready: String
        let closed: String
        let away: String
        let notices: String
        let noNotices: String
    }

    /// A page of running text.
    struct Article: Sendable {
        let title: String
        let sections: [Section]

        struct Section: Sendable {
            let title: String
            let paragraphs: [String]
        }
    }

    struct Statistics: Sendable {
        let title: String
        let lead: String
        let period: String
        let weeks: @Sendable (_ count: Int) -> String
        let day: String
        let week: @Sendable (_ number: Int, _ year: Int) -> String
        let weekShort: @Sendable (_ number: Int) -> String
        let otherDays: @Sendable (_ week: String) -> String
        let about: @Sendable (_ value: String) -> String
        let atLeast: @Sendable (_ value: String) -> String
        let withheld: String
        let withheldLegend: String
        let notYet: String
        let table: @Sendable (_ title: String) -> String
        let wholePeriod: @Sendable (_ title: String) -> String
        let country: String
        let otherCountries: String
        let save: String
        let none: String
        let why: Article.Section
        /// Who donates data, and how they are protected.
        let donated: Article.Section
        let figure: @Sendable (Figure) -> (title: String, definition: String)
        let unit: @Sendable (FigureDefinition.Unit) -> String
        /// The name of a figure's cell; empty for the only one.
        let cell: @Sendable (_ name: String) -> String
    }

    let frame: Frame
    let start: Start
    let codes: Codes
    let currentCode: CurrentCode
    let refusals: Refusals
    let venues: Venues
    let status: Status
    let statistics: Statistics
    let help: Article
    /// The authority's contact follows on the page.
    let accessibility: Article
    let privacy: Article
    let contact: String
    let months: [String]
    /// `14:05`, as it is read in this language.
    let clock: @Sendable (_ time: String) -> String
    /// A day by number, month and year.
    let date: @Sendable (_ day: Int, _ month: String, _ year: Int) -> String
    /// A whole number with separators.
    let decimal: @Sendable (_ value: Int) -> String
}

extension Language {
    /// The texts in this language.
    var words: Words {
        switch self {
        case .german: .german
        case .english: .english
        }
    }
}
