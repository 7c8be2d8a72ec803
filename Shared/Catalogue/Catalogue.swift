package import HTTPContract

/// Every process of a suite: its listeners, the services it calls, and its resources.
///
/// ``services`` has the entries. The development suite, certificates, secrets and the in-process suite of the tests are derived
/// from them. The manifest and the files of `deploy` are written by hand; ArchitectureTests compare them with the entries and
/// name the missing line.
package enum Catalogue {
    /// The roles that no process of the suite has: laboratories, portals and other outside callers.
    package static let outsideRoles = Role.allCases.filter { role in !services.contains { $0.role == role } }
}
