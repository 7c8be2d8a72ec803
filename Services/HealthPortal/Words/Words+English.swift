import Statistics
import VenueEventFormat
import Venues

extension Words {
    /// The texts in English.
    static let english = Words(
        frame: Frame(
            product: "Health portal",
            skip: "Skip to content",
            navigation: "Pages",
            signIn: "Sign in",
            signOut: "Sign out",
            signedInAs: { "Signed in as \($0)" },
            otherLanguage: "Deutsch",
            sessionEnds: "You will be signed out soon, because you haven't used the portal for a while.",
            stay: "Stay signed in"),
        start: Start(
            title: "Codes for people with a positive test",
            lead:
                "Health officers make a one-time code here and read it out. With it, a person can warn others through the app.",
            points: [
                "A code is ready in a second. It is valid for one hour; a code for an event for two days.",
                "The portal never asks for a name, a telephone number or a test result.",
                "Nobody can tell later who was given which code.",
            ],
            noAccount: "Your authority's administrator gives you access."),
        codes: Codes(
            title: "Make a code",
            lead: "One code for each person. Nothing about the caller is entered here.",
            scriptTitle: "On the telephone",
            script: [
                "Find out whether the person may have a code: their test is positive, and the app has no result for it. Don't write anything down.",
                "Ask the person to open the app and to choose “Enter TAN”. A loudspeaker leaves their hands free.",
                "Make the code, and read it out slowly: three, three and four characters, each with its word.",
                "Let the person read the code back to you.",
            ],
            testTitle: "Positive test",
            testText: "For a person with a positive test. Valid for one hour.",
            testButton: "Make a code for a test",
            eventTitle: "Event",
            eventText: "For an organiser who warns the guests of an event. Valid for two days.",
            eventAuthority: "Health authority in charge",
            eventChoose: "Please choose",
            eventButton: "Make a code for an event",
            remaining: {
                $0 == 1 ? "You can make one more code this hour." : "You can make \($0) more codes this hour."
            },
            stillShown: "Your last code is still shown.",
            showLast: "Show the last code",
            trainingTitle: "Practice",
            trainingText: "A practice code looks like a real one, but no app accepts it.",
            trainingButton: "Make a practice code",
            trainingStart: "Start practising",
            trainingEnd: "End practising",
            trainingNotice: "Practice: these forms make no real codes."),
        currentCode: CurrentCode(
            title: { "Code for \($0)" },
            test: "a test",
            event: "an event",
            readOut: "Read out, with the words",
            characters: "The code, ten characters",
            validUntil: { "Valid until \($0)" },
            minutesLeft: { $0 == 1 ? "1 minute left" : "\($0) minutes left" },
            expired: "This code has expired. Make another one.",
            authority: "Authority",
            nextTitle: "What the person does next",
            next: [
                "Type the code into the app.",
                "Follow the app, and agree to share the warning.",
            ],
            told: "Told – hide the code",
            showAgain: "Misheard – show again",
            hidden: "The code is hidden.",
            hiddenForGood: "The code can't be shown any more. Make another one if the person needs one.",
            another: "Make another code",
            training: "Practice: no app accepts this code.",
            tableTitle: "Other spelling words",
            character: "Character",
            words: "DIN 5009 (2022)",
            formerWords: "German, until 2022",
            internationalWords: "International",
            printNote: "A code isn't printed. It is read out."),
        refusals: Refusals(
            malformed: Refused(
                title: "This request can't be understood",
                whatToDo: ["Go back to the page, and try again. No code was made."]),
            otherHost: Refused(
                title: "The portal has another address",
                whatToDo: [
                    "Open the portal by the address that your authority gave you. Nothing was changed.",
                    "For administrators: the setting origins (VIGIL_PORTAL_ORIGINS) doesn't name this address.",
                ]),
            notSignedIn: Refused(
                title: "You are signed out",
                whatToDo: ["Your session has ended. Sign in again. A code that you have read out remains valid."]),
            noRole: Refused(
                title: "Your account doesn't allow this",
                whatToDo: ["Ask your authority's administrator for the role that this page needs. Nothing was changed."]
            ),
            otherSite: Refused(
                title: "This request came from another page",
                whatToDo: ["Nothing was changed. Open the portal by its own address, and try again there."]),
            notFound: Refused(
                title: "There is no such page", whatToDo: ["Check the address, or go to the start page."]),
            formUsed: Refused(
                title: "This form was already used",
                whatToDo: ["Its code was made and hidden. To make another one, open the form again."]),
            entryUsed: Refused(
                title: "This form has made its entry",
                whatToDo: ["Its entry has other values and stays as it is. To make another one, open the form again."]),
            ownEntry: Refused(
                title: "Another person decides on this entry",
                whatToDo: [
                    "You entered it yourself. Ask a colleague to compare it with the poster. Nothing was changed."
                ]),
            decided: Refused(
                title: "This entry was decided otherwise",
                whatToDo: ["Somebody else was first. The list shows how. Nothing was changed."]),
            full: Refused(
                title: "There are too many entries",
                whatToDo: ["Nothing was entered. Entries go 14 days after their end. Tell your administrator."]),
            tooMany: { time in
                Refused(
                    title: "No more codes for the moment",
                    whatToDo: [
                        "The limit for this hour has been reached. The next code can be made at \(time).",
                        "If this happens often, tell your administrator.",
                    ])
            },
            providerAway: Refused(
                title: "Signing in isn't possible at the moment",
                whatToDo: [
                    "The service that checks your account doesn't answer. Try again in a few minutes.",
                    "If it lasts longer, tell your administrator.",
                ]),
            misconfigured: Refused(
                title: "The portal isn't set up correctly",
                whatToDo: [
                    "Neither you nor your role is the reason. Nothing was changed.",
                    "Sign in again. If this page comes back, waiting doesn't help: tell your administrator that the log names the reason.",
                ]),
            verificationAway: Refused(
                title: "No code can be made at the moment",
                whatToDo: [
                    "The service that makes codes doesn't answer. Try again in a minute: no second code will be made."
                ]),
            signInFailed: Refused(
                title: "Signing in didn't work",
                whatToDo: ["Start again, in one window only. If it fails again, tell your administrator."]),
            signInRefused: Refused(
                title: "You weren't signed in",
                whatToDo: ["Signing in was cancelled or refused. Try again, or ask your administrator."]),
            unavailable: Refused(
                title: "Something went wrong here",
                whatToDo: ["Try again. If it fails again, tell your administrator and name the time."]),
            callBackTitle: "Tell the caller",
            callBack: [
                "“Our system isn't available at the moment. Please call again in half an hour. Your test remains valid, nothing is lost.”"
            ],
            toStart: "To the start page",
            toCodes: "To the form",
            toVenues: "To the list"),
        venues: .english,
        status: Status(
            title: "Status",
            lead: "Whether everything answers that codes depend on. No figure on this page counts people.",
            service: "Service",
            state: "State",
            codes: "Making and redeeming codes",
            signIn: "Signing in",
            ready: "ready",
            closed: "no code can be redeemed until the next full hour: too many wrong ones were tried",
            away: "no answer",
            notices: "Notices",
            noNotices: "There are no notices."),
        statistics: Statistics(
            title: "Figures",
            lead: "These figures were released once and never change. They are rounded, and small ones are withheld.",
            period: "Period",
            weeks: { "\($0) weeks" },
            day: "Day",
            week: { number, year in "Week \(number), \(year)" },
            weekShort: { "W\($0)" },
            otherDays: { "\($0), days without a value, together" },
            about: { "about \($0)" },
            atLeast: { "at least \($0)" },
            withheld: "withheld",
            withheldLegend: "Hatched: withheld, because the number is small.",
            notYet: "not yet released",
            table: { "\($0) as a table" },
            wholePeriod: { "\($0), whole period" },
            country: "Country",
            otherCountries: "Other countries",
            save: "Save these figures:",
            none: "No figure has been released for this period yet.",
            why: Article.Section(
                title: "Why some values are missing",
                paragraphs: [
                    "A small number can lead to a person. A value below its minimum is therefore withheld, and with it another one if the first could be found by subtraction.",
                    "A day is released when its codes can no longer be used: two days later for tests, four for events. A figure in which a person is a unit has random noise, added once, so a difference of a few means nothing.",
                ]),
            donated: Article.Section(
                title: "Figures of donated data",
                paragraphs: [
                    "Warnings by the app, tests after warnings, the time to a result and the versions of the app come from data that people donate for analysis. They are volunteers and no sample of the population: what holds for them needn't hold for others, and a change from week to week says more than a value.",
                    "When its hour is over, a donation is taken apart, and nothing that is kept leads to who gave it. Before anything else, each count gets random noise, once, that hides everything one person can donate in a week (ε = ½ for each count). A share needs at least 1,000 warnings, results or donations; the noise then moves it by up to ten points. Weeks of these figures consist of days of universal time.",
                ]),
            figure: { figure in
                switch figure {
                case .codesMade:
                    ("Codes made", "Codes that officers made, by kind. A day with fewer than ten is withheld.")
                case .codesRedeemed:
                    (
                        "Codes redeemed",
                        "Codes of these days that were typed into an app. Withheld if fewer than ten were, or were not."
                    )
                case .shareRedeemed:
                    ("Share of codes redeemed", "Redeemed of 100 codes made, of the released values, in steps of five.")
                case .wrongEntries: ("Wrong entries", "Codes that were refused: typing errors, repeats and guesses.")
                case .testsRegistered: ("Tests registered", "Tests that were registered in an app by their QR code.")
                case .resultsPosted: ("Results", "Results that laboratories and test centres posted, by kind of test.")
                case .warningsSent:
                    (
                        "Warnings",
                        "Uploads by people who tested positive or reported themselves without a registered test, with random noise."
                    )
                case .publishedEntries:
                    (
                        "Published entries",
                        "Keys and check-in reports that all apps download, with the fillers that hide how many are real."
                    )
                case .publicationDelay:
                    ("Delay of publication", "Time from the end of an hour until its keys can be downloaded.")
                case .pushWaves: ("Silent pushes", "Pushes that wake apps, and how many the push service accepted.")
                case .keysShared:
                    (
                        "Keys shared with other countries",
                        "Keys that left for other countries, with the fillers that hide how many are real."
                    )
                case .keysImported:
                    (
                        "Keys from other countries",
                        "Keys that came from other countries, by origin. Shown by time are the four countries with the most; the files have all."
                    )
                case .donatedWarnings:
                    (
                        "Warnings by the app",
                        "Donations in which the risk had become high since the person's last one, with random noise: from encounters, or only from visits to venues."
                    )
                case .shareTested:
                    (
                        "Tests after warnings",
                        "Donated tests that were registered while the app showed a high risk, of 100 donated warnings, in steps of five. A person may test more than once."
                    )
                case .resultDelay:
                    (
                        "Time to a result",
                        "Of 100 donated results, how many came within these hours of the registration, by kind of test, in steps of five. The chart shows the quickest."
                    )
                case .appVersions:
                    (
                        "Versions of the app",
                        "Of 100 donations, how many came from the newest version, the one before it, or an older one, in steps of five. The chart shows the outdated ones."
                    )
                }
            },
            unit: { unit in
                switch unit {
                case .codes: "Codes"
                case .percent: "Percent"
                case .entries: "Entries"
                case .tests: "Tests"
                case .results: "Results"
                case .warnings: "Warnings"
                case .seconds: "Seconds"
                case .pushes: "Pushes"
                case .keys: "Keys"
                }
            },
            cell: { name in
                switch name {
                case "test": "Test"
                case "event": "Event"
                case "pcr-positive": "PCR, positive"
                case "pcr-other": "PCR, other"
                case "rapid-positive": "Rapid, positive"
                case "rapid-other": "Rapid, other"
                case "point-of-care-positive": "On site, positive"
                case "point-of-care-other": "On site, other"
                case "keys": "Keys"
                case "reports": "Reports"
                case "median": "Median"
                case "worst": "Longest"
                case "waves": "Waves"
                case "registered": "Registered"
                case "sent": "Sent"
                case "accepted": "Accepted"
                case "removed": "Removed"
                case "encounters": "Encounters"
                case "visits": "Visits only"
                case "pcr-24": "PCR, 24 hours"
                case "pcr-48": "PCR, 48 hours"
                case "pcr-later": "PCR, later"
                case "rapid-1": "Rapid, 1 hour"
                case "rapid-6": "Rapid, 6 hours"
                case "rapid-later": "Rapid, later"
                case "ios-newest": "iPhone, newest"
                case "ios-previous": "iPhone, previous"
                case "ios-older": "iPhone, older"
                case "android-newest": "Android, newest"
                case "android-previous": "Android, previous"
                case "android-older": "Android, older"
                case "at": "Austria"
                case "be": "Belgium"
                case "bg": "Bulgaria"
                case "ch": "Switzerland"
                case "cy": "Cyprus"
                case "cz": "Czechia"
                case "de": "Germany"
                case "dk": "Denmark"
                case "ee": "Estonia"
                case "es": "Spain"
                case "fi": "Finland"
                case "fr": "France"
                case "gr": "Greece"
                case "hr": "Croatia"
                case "hu": "Hungary"
                case "ie": "Ireland"
                case "is": "Iceland"
                case "it": "Italy"
                case "li": "Liechtenstein"
                case "lt": "Lithuania"
                case "lu": "Luxembourg"
                case "lv": "Latvia"
                case "mt": "Malta"
                case "nl": "Netherlands"
                case "no": "Norway"
                case "pl": "Poland"
                case "pt": "Portugal"
                case "ro": "Romania"
                case "se": "Sweden"
                case "si": "Slovenia"
                case "sk": "Slovakia"
                default: name
                }
            }),
        help: Article(
            title: "Help",
            sections: [
                .init(
                    title: "The person mistyped the code",
                    paragraphs: [
                        "The last character checks the others: the app reports most typing errors at once. Read the code once more, character by character. Within ten minutes, “Misheard – show again” shows a hidden code."
                    ]),
                .init(
                    title: "The code has expired",
                    paragraphs: ["Make another one. An expired code can't be extended."]),
                .init(
                    title: "Several people call together",
                    paragraphs: [
                        "Each person needs a code of their own. Make the next one when the first person has typed theirs."
                    ]),
                .init(
                    title: "Which alphabet?",
                    paragraphs: [
                        "German callers know the towns or the first names, others the international words. All stand below the code. Codes have no 0, 1, I, L or O."
                    ]),
                .init(
                    title: "Practising",
                    paragraphs: [
                        "“Start practising” makes marked codes that are stored nowhere and that no app accepts."
                    ]),
                .init(
                    title: "Keyboard",
                    paragraphs: [
                        "Tab moves to the next button or link, Enter and Space press it. The code's heading has the focus after a code was made, so a second Enter makes no second code."
                    ]),
            ]),
        accessibility: Article(
            title: "Accessibility",
            sections: [
                .init(
                    title: "State",
                    paragraphs: [
                        "This portal aims at level AA of the Web Content Accessibility Guidelines 2.2, and so at EN 301 549. Automatic checks run on every page in both languages before each release, with and without JavaScript, with enlarged text, narrow windows, high contrast and the keyboard alone."
                    ]),
                .init(
                    title: "Known limits",
                    paragraphs: [
                        "There is no version in easy language and none in sign language. No review by an outside body has taken place yet."
                    ]),
                .init(title: "Report a barrier", paragraphs: ["Tell us what doesn't work for you. We answer."]),
            ]),
        privacy: Article(
            title: "Privacy",
            sections: [
                .init(
                    title: "Callers",
                    paragraphs: [
                        "The portal asks nothing about a caller and stores nothing about them. A code is stored as a keyed hash only, and nothing leads from it to an officer or a caller."
                    ]),
                .init(
                    title: "Officers",
                    paragraphs: [
                        "While you are signed in, your name and your authority's proof of identity are kept in encrypted form, for ten hours at most. They are deleted when you sign out.",
                        "If your authority keeps an audit record, each code has an entry for 30 days that only the authority's auditor can read. Nobody at the service can.",
                        "An entry of a venue keeps a keyed hash of who made and who approved it for 14 days after its end, so that they are two people. Of the venue it keeps a value that only who has the poster or the number can compare; a poster's code never leaves the browser.",
                        "The portal's log names no person, and no page counts codes by officer.",
                    ]),
                .init(
                    title: "Cookies",
                    paragraphs: [
                        "The portal sets one cookie for your session, one while you sign in, and one for your language. There are no others, and no outside page is loaded."
                    ]),
            ]),
        contact: "Contact",
        months: [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November",
            "December",
        ],
        clock: { $0 },
        date: { day, month, year in "\(day) \(month) \(year)" },
        decimal: { grouped($0, separator: ",") })

    /// A number with a separator after each three digits from the right.
    static func grouped(_ value: Int, separator: String) -> String {
        let digits = Array("\(value.magnitude)")
        let groups = stride(from: digits.count, to: 0, by: -3).reversed().map { end in
            String(digits[max(0, end - 3)..<end])
        }
        return (value < 0 ? "-" : "") + groups.joined(separator: separator)
    }
}

extension Words.Venues {
    fileprivate static let english = Words.Venues(
        title: "Venues",
        lead:
            "Warnings for people who were at a place at a certain time. Phones compare them with their own diary, and nobody learns who was there.",
        none: "There are no entries.",
        venue: "Venue",
        start: "From",
        end: "To",
        message: "Message",
        state: "State",
        decision: "Decision",
        own: "Entered by you: another person decides.",
        same: "✓ same venue",
        compare: "Compare with a poster or a number",
        compareHint: "The link of the poster, or the number. It stays in this browser.",
        matches: "Entries of this venue: #",
        notAVenue: "This is neither a poster's link nor a number.",
        stateName: { state in
            switch state {
            case .waiting: "waits for a second person"
            case .approved: "approved, published"
            case .refused: "refused"
            case .revoked: "revoked"
            }
        },
        decisionName: { decision in
            switch decision {
            case .approve: "Approve"
            case .refuse: "Refuse"
            case .revoke: "Revoke"
            }
        },
        severity: { severity in
            switch severity {
            case .inform: "Inform"
            case .test: "Test"
            }
        },
        enter: "Enter a venue",
        enterLead: "A second person approves the entry before phones get it. Don't enter anything about people.",
        unscripted:
            "A poster can be entered only with scripts, because its secret must stay in the browser. Without them, enter the venue's number.",
        poster: "The poster's code",
        posterHint: "The link in the code, such as https://…/venue#v1.… It stays in this browser.",
        place: "The poster says: #",
        notAPoster: "This is no poster's link.",
        camera: "Read with the camera",
        number: "Or the venue's number (GLN)",
        numberHint: "13 digits. Whoever knows the register can tell from the warning which venue it is.",
        timeHint: "Local time, in steps of ten minutes. At most a day, within the last 14 days, and over by now.",
        severityLabel: "What it asks of people",
        submit: "Enter",
        problem: { problem in
            switch problem {
            case .venue: "Enter either a poster or a number. The poster has to be entered again."
            case .number: "This number isn't right: it has 13 digits, and the last one checks the others."
            case .time: "A time can't be read, or clocks skipped it that day. Write it as 2026-05-25T10:00."
            case .window(.offGrid): "Times are in steps of ten minutes."
            case .window(.reversed): "The end has to be after the start."
            case .window(.tooLong): "An entry covers 24 hours at most. Make several."
            case .window(.tooOld): "The start is more than 14 days ago. Phones have forgotten that time."
            case .window(.future): "The end hasn't come yet. Enter what is over."
            }
        },
        importTitle: "Import entries",
        importLead: "A list in the columns of the NHS, for venues with a number. It is taken as a whole or not at all.",
        importFile: "The lines, at most 50 after the heading",
        importSubmit: "Import",
        importProblems: "Nothing was imported. Correct these lines:",
        line: { "Line \($0)" },
        reason: { reason in
            switch reason {
            case .header: "the first line doesn't name the columns"
            case .columns: "five values in double quotes are needed"
            case .number: "the number isn't right"
            case .time: "times are written as 2026-05-25T10:00:00Z"
            case .offGrid: "times are in steps of ten minutes"
            case .reversed: "the end isn't after the start"
            case .tooLong: "it covers more than 24 hours"
            case .tooOld: "it began more than 14 days ago"
            case .future: "it isn't over yet"
            case .type: "the type is M1 or M2"
            case .parameter: "the last value has to be empty"
            case .repeated: "another line says the same"
            case .count: "there are no lines, or more than 50"
            }
        })
}
