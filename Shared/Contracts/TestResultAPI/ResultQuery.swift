package import Credentials
import HTTPContract

/// Which result the verification server asks for (cwa-testresult-server, `TestResultController`). `sc` is
/// ignored: there it belongs to the row that a query creates.
package struct ResultQuery: JSONMessage, Equatable {
    /// The name under which a laboratory would have posted it.
    package let id: ResultID

    /// A question for one result.
    package init(_ id: ResultID) { self.id = id }
}

/// Which results the verification server asks for together.
package struct ResultQueries: JSONMessage, Equatable {
    /// 1...256 names, perhaps one of them twice.
    package let ids: [ResultID]

    /// A question for these; only the server checks their number (400).
    package init(_ ids: [ResultID]) { self.ids = ids }
}

/// Which result a test centre asks for (cwa-testresult-server, `TestResultController`). `sc` is ignored here, too.
package struct CentreQuery: JSONMessage, Equatable {
    /// The id as the centre posted it; software that hashes before it asks finds the result, too.
    package let id: CentreTestID

    /// A question for one result.
    package init(_ id: CentreTestID) { self.id = id }
}
