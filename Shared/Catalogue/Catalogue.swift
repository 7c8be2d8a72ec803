package import HTTPContract

/// Every process of a suite, with what it listens on, whom it calls and what it is given.
///
/// ``services`` has the entries. The development suite, certificates, secrets and the in-process suite of the tests are
/// derived from them. The manifest and the files of `deploy` are written by hand; ArchitectureTests hold them against the
/// entries and name the line that is missing.
package enum Catalogue {
    /// The roles that no process of the suite has: those of laboratories, portals and other callers from outside.
    package static let outsideRoles = Role.allCases.filter { role in !services.contains { $0.role == role } }
}
