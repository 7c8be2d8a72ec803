package import Credentials
import HTTPContract

/// The verification server's query for one result (cwa-testresult-server, `TestResultController`).
///
/// `sc` is ignored; in cwa-testresult-server it belongs to the row that a query creates.
package struct ResultQuery: JSONMessage, Equatable {
    /// The name under which a laboratory posts it.
    package let id: ResultID

    /// Creates a query for one result.
    package init(_ id: ResultID) { self.id = id }
}

/// The verification server's query for many results.
package struct ResultQueries: JSONMessage, Equatable {
    /// 1...256 names; duplicates are allowed.
    package let ids: [ResultID]
    /// Whether a commit must confirm the answer; nil means that it needn't.
    ///
    /// For a refusal: in a failover, a database that lost its lead without knowing misses the latest results.
    package let confirmed: Bool?

    /// Creates a query for these; only the server checks their number (400).
    package init(_ ids: [ResultID], confirmed: Bool? = nil) {
        self.ids = ids
        self.confirmed = confirmed
    }
}

/// A test centre's query for one result (cwa-testresult-server, `TestResultController`). `sc` is ignored here, too.
package struct CentreQuery: JSONMessage, Equatable {
    /// The id as the centre posted it. Software that hashes before it queries finds the result, too.
    package let id: CentreTestID

    /// Creates a query for one result.
    package init(_ id: CentreTestID) { self.id = id }
}
