import SwiftASN1

/// What stands in the closure of ``Certificate/Extensions``.
package protocol CertificateExtensionConvertible {
    /// - Throws: ``SwiftASN1/ASN1Error`` for a value that has no encoding.
    func makeCertificateExtension() throws -> Certificate.Extension
}

extension Certificate.Extension: CertificateExtensionConvertible {
    package func makeCertificateExtension() throws -> Certificate.Extension { self }
}

/// Marks an extension as critical.
package struct Critical<Base: CertificateExtensionConvertible>: CertificateExtensionConvertible {
    private let base: Base

    /// The same extension, critical.
    package init(_ base: Base) { self.base = base }

    package func makeCertificateExtension() throws -> Certificate.Extension {
        let one = try base.makeCertificateExtension()
        return Certificate.Extension(oid: one.oid, critical: true, value: one.value)
    }
}

extension Critical: Sendable where Base: Sendable {}

/// Puts extensions together. It carries errors to the initialiser, so that extensions need no `try`.
@resultBuilder package enum ExtensionsBuilder {
    /// What was put together until now, or why it can't be.
    package typealias Extensions = Result<[Certificate.Extension], any Error>

    /// One extension.
    package static func buildExpression(_ one: some CertificateExtensionConvertible) -> Extensions {
        Result { [try one.makeCertificateExtension()] }
    }

    /// One after the other.
    package static func buildBlock(_ parts: Extensions...) -> Extensions {
        Result { try parts.flatMap { try $0.get() } }
    }

    /// What stands after `if`.
    package static func buildEither(first part: Extensions) -> Extensions { part }

    /// What stands after `else`.
    package static func buildEither(second part: Extensions) -> Extensions { part }
}
