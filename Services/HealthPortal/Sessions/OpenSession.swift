import FoundationEssentials

/// A session for the length of a request.
struct OpenSession: Sendable {
    let id: SessionID
    let officer: SignedInOfficer
    let codes: CodeState
    /// Increases whenever ``codes`` changes.
    let codesVersion: Int32
    /// When it ends unless there is another request.
    let ends: Date
}
