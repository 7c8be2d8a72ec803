import Credentials

/// The words by which officers spell a code on the telephone.
enum SpellingAlphabet: Sendable, CaseIterable {
    /// DIN 5009:2022-06: names of German towns.
    case german
    /// The names of persons that DIN 5009 had until 2022, which many still use.
    case formerGerman
    /// International Civil Aviation Organization, Annex 10, volume II, section 5.2.1.3.
    case international

    /// The word for a character of a code; a digit in words for the international alphabet only.
    func word(for character: Character) -> String {
        switch self {
        case .german: Self.towns[character] ?? Self.germanDigits[character] ?? "\(character)"
        case .formerGerman: Self.persons[character] ?? Self.germanDigits[character] ?? "\(character)"
        case .international: Self.aviation[character] ?? Self.englishDigits[character] ?? "\(character)"
        }
    }

    private static let towns: [Character: String] = [
        "A": "Aachen", "B": "Berlin", "C": "Chemnitz", "D": "Düsseldorf", "E": "Essen", "F": "Frankfurt", "G": "Goslar",
        "H": "Hamburg", "J": "Jena", "K": "Köln", "M": "München", "N": "Nürnberg", "P": "Potsdam", "Q": "Quickborn",
        "R": "Rostock", "S": "Salzwedel", "T": "Tübingen", "U": "Unna", "V": "Völklingen", "W": "Wuppertal",
        "X": "Xanten", "Y": "Ypsilon", "Z": "Zwickau",
    ]

    private static let persons: [Character: String] = [
        "A": "Anton", "B": "Berta", "C": "Cäsar", "D": "Dora", "E": "Emil", "F": "Friedrich", "G": "Gustav",
        "H": "Heinrich", "J": "Julius", "K": "Kaufmann", "M": "Martha", "N": "Nordpol", "P": "Paula", "Q": "Quelle",
        "R": "Richard", "S": "Samuel", "T": "Theodor", "U": "Ulrich", "V": "Viktor", "W": "Wilhelm", "X": "Xanthippe",
        "Y": "Ypsilon", "Z": "Zacharias",
    ]

    private static let aviation: [Character: String] = [
        "A": "Alfa", "B": "Bravo", "C": "Charlie", "D": "Delta", "E": "Echo", "F": "Foxtrot", "G": "Golf", "H": "Hotel",
        "J": "Juliett", "K": "Kilo", "M": "Mike", "N": "November", "P": "Papa", "Q": "Quebec", "R": "Romeo",
        "S": "Sierra", "T": "Tango", "U": "Uniform", "V": "Victor", "W": "Whiskey", "X": "X-ray", "Y": "Yankee",
        "Z": "Zulu",
    ]

    /// "Zwo" can't be mistaken for "drei".
    private static let germanDigits: [Character: String] = [
        "2": "zwo", "3": "drei", "4": "vier", "5": "fünf", "6": "sechs", "7": "sieben", "8": "acht", "9": "neun",
    ]

    private static let englishDigits: [Character: String] = [
        "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine",
    ]
}
