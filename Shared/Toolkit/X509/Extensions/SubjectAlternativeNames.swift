import SwiftASN1

/// The names of a certificate's subject beside its distinguished one (RFC 5280, section 4.2.1.6).
package struct SubjectAlternativeNames: Hashable, Sendable {
    private let names: [GeneralName]

    /// - Parameter names: at least one, or nobody reads the extension.
    package init(_ names: [GeneralName] = []) { self.names = names }

    /// Reads the extension, which has one name at least.
    package init(_ one: Certificate.Extension) throws {
        names = try DER.sequence(of: GeneralName.self, identifier: .sequence, rootNode: DER.parse(one.value))
    }
}

extension SubjectAlternativeNames: RandomAccessCollection {
    package var startIndex: Int { names.startIndex }
    package var endIndex: Int { names.endIndex }
    package subscript(position: Int) -> GeneralName { names[position] }
}

extension SubjectAlternativeNames: CertificateExtensionConvertible {
    package func makeCertificateExtension() throws -> Certificate.Extension {
        guard names.allSatisfy(\.isWellFormed) else { throw CertificateError.extensionValue }
        var coder = DER.Serializer()
        coder.appendConstructedNode(identifier: .sequence) { coder in
            for name in names { name.serialize(into: &coder) }
        }
        return Certificate.Extension(
            oid: .X509ExtensionID.subjectAlternativeName, critical: false, value: coder.serializedBytes[...])
    }
}
