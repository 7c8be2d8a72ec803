import FoundationEssentials

extension WireQRCodePosterTemplateIOS: ReviewedMessage {
    func review(_ review: inout MessageReview) {
        review.requirePDF(template, "template")
        review.requireAtLeast(1, qrCodeSideLength, "qrCodeSideLength")
        review.requirePresence(hasDescriptionTextBox, "descriptionTextBox", descriptionTextBox.review)
        review.requirePresence(hasAddressTextBox, "addressTextBox", addressTextBox.review)
    }
}

extension WireQRCodeTextBoxIOS {
    fileprivate func review(_ review: inout MessageReview) {
        review.requireAtLeast(1, width, "width")
        review.requireAtLeast(1, height, "height")
        review.requireAtLeast(1, fontSize, "fontSize")
        review.requireColor(fontColor, "fontColor")
    }
}

extension WireQRCodePosterTemplateAndroid: ReviewedMessage {
    func review(_ review: inout MessageReview) {
        review.requirePDF(template, "template")
        review.requireMargins(offsetX, offsetY)
        review.require(qrCodeSideLength, in: 1...4096, "qrCodeSideLength")
        review.requirePresence(hasDescriptionTextBox, "descriptionTextBox", descriptionTextBox.review)
    }
}

extension WireQRCodeTextBoxAndroid {
    fileprivate func review(_ review: inout MessageReview) {
        review.requireMargins(offsetX, offsetY)
        // The app lets the text shrink by 6, and Android refuses a size that isn't above 0:
        // https://github.com/corona-warn-app/cwa-app-android/blob/v3.2.1/Corona-Warn-App/src/main/java/de/rki/coronawarnapp/ui/presencetracing/organizer/poster/QrCodePosterFragment.kt
        review.require(fontSize >= 7, "fontSize", "must be at least 7: cwa-app-android fails with less")
        review.requireColor(fontColor, "fontColor")
    }
}

extension MessageReview {
    /// The apps render the first page with the operating system's PDF reader.
    fileprivate mutating func requirePDF(_ bytes: Data, _ field: String) {
        let isPDF =
            bytes.starts(with: Data("%PDF-".utf8)) && bytes.suffix(1024).firstRange(of: Data("%%EOF".utf8)) != nil
        require(isPDF, field, "must be a PDF in Base64")
    }

    /// The left margin is the right margin as well, so two must leave room between them.
    fileprivate mutating func requireMargins(_ horizontal: Float, _ vertical: Float) {
        require((0..<0.5).contains(horizontal), "offsetX", "must be at least 0 and less than 0.5")
        require((0..<1).contains(vertical), "offsetY", "must be at least 0 and less than 1")
    }

    fileprivate mutating func requireColor(_ text: String, _ field: String) {
        let isColor = text.utf8.count == 7 && text.hasPrefix("#") && text.dropFirst().allSatisfy(\.isHexDigit)
        require(isColor, field, "must be a color such as #000000")
    }
}
