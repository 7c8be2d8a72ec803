package import HTTPContract
package import HTTPTypes

// The header fields' schemas, for the listener's document.

extension UploadRequest {
    package static var fieldSchemas: [HTTPField.Name: FieldSchema] {
        [.cwaFake: .required(.wholeNumber), .cwaAuthorization: .optional(.text()), .cwaOTP: .optional(.text())]
    }
}

extension UploadAccepted {
    package static var fieldSchemas: [HTTPField.Name: FieldSchema] {
        [.filteredCheckIns: .required(.wholeNumber), .savedCheckIns: .required(.wholeNumber)]
    }
}
