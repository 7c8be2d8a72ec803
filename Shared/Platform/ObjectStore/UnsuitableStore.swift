import Running

/// A store can't hold the published tree: which bucket, why, and what to do. A setting names the bucket, so trying again changes nothing.
package struct UnsuitableStore: OperatorProblem, Equatable {
    /// What the store does otherwise.
    enum Flaw: Sendable, Equatable {
        /// It refused an object because of another one above or below it.
        case refusesNesting(status: UInt, code: String)
        /// It stores an object below another one and doesn't list it.
        case hidesNested
        /// It confirmed objects and has none.
        case loses
        /// It has other bytes than those that it confirmed.
        case alters
        /// It still serves objects whose removal it confirmed.
        case keepsRemoved
    }

    let bucket: String
    let flaw: Flaw

    /// As for other wrong settings.
    package var exitStatus: Int32 { 78 }

    package var description: String {
        "The bucket \(bucket) can't hold the published tree: its store \(flaw.statement); use a store that the README of "
            + "distribution names, or the setting directory, and delete the objects below version in this bucket, which "
            + "may have expired."
    }
}

extension UnsuitableStore.Flaw {
    fileprivate var statement: String {
        switch self {
        case .refusesNesting(let status, let code): "keeps no object below another one (\(status) \(code))"
        case .hidesNested: "doesn't list objects below another object, so that expired packages would stay"
        case .loses: "confirmed objects that it doesn't have"
        case .alters: "has other bytes than those that it confirmed"
        case .keepsRemoved: "still serves objects whose removal it confirmed"
        }
    }
}
