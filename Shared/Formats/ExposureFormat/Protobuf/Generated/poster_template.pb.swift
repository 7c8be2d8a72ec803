// swift-format-ignore-file
// Made by Shared/Formats/generate.py from poster_template.proto: change that.
//
// The poster that an app prints a venue's QR code on.
//
// Field names and numbers are those that the Corona-Warn-App's phones read: never renumber.

import FoundationEssentials
import SwiftProtobuf

/// `qr_code_poster_template_ios`. Lengths are in points, from the upper left corner of the page.
struct WireQRCodePosterTemplateIOS: Message {
    /// A PDF; its first page is used.
    var template: Data = Data()
    var offsetX: UInt32 = 0
    var offsetY: UInt32 = 0
    var qrCodeSideLength: UInt32 = 0
    @Presence var descriptionTextBox: WireQRCodeTextBoxIOS
    var hasDescriptionTextBox: Bool { _descriptionTextBox.value != nil }
    @Presence var addressTextBox: WireQRCodeTextBoxIOS
    var hasAddressTextBox: Bool { _addressTextBox.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.QRCodePosterTemplateIOS", \Self.unknownFields, [
        Field(1, "template", \Self.template),
        Field(2, "offsetX", \Self.offsetX),
        Field(3, "offsetY", \Self.offsetY),
        Field(4, "qrCodeSideLength", \Self.qrCodeSideLength),
        Field(5, "descriptionTextBox", \Self._descriptionTextBox),
        Field(6, "addressTextBox", \Self._addressTextBox),
    ])
}

struct WireQRCodeTextBoxIOS: Message {
    var offsetX: UInt32 = 0
    var offsetY: UInt32 = 0
    var width: UInt32 = 0
    var height: UInt32 = 0
    var fontSize: UInt32 = 0
    /// Such as `#000000`.
    var fontColor: String = ""
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.QRCodeTextBoxIOS", \Self.unknownFields, [
        Field(1, "offsetX", \Self.offsetX),
        Field(2, "offsetY", \Self.offsetY),
        Field(3, "width", \Self.width),
        Field(4, "height", \Self.height),
        Field(5, "fontSize", \Self.fontSize),
        Field(6, "fontColor", \Self.fontColor),
    ])
}

/// `qr_code_poster_template_android`. Offsets are parts of the page's width and height.
struct WireQRCodePosterTemplateAndroid: Message {
    /// A PDF; its first page is used.
    var template: Data = Data()
    var offsetX: Float = 0
    var offsetY: Float = 0
    /// In pixels, before the app scales the code to fit between the offsets.
    var qrCodeSideLength: UInt32 = 0
    @Presence var descriptionTextBox: WireQRCodeTextBoxAndroid
    var hasDescriptionTextBox: Bool { _descriptionTextBox.value != nil }
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.QRCodePosterTemplateAndroid", \Self.unknownFields, [
        Field(1, "template", \Self.template),
        Field(2, "offsetX", \Self.offsetX),
        Field(3, "offsetY", \Self.offsetY),
        Field(4, "qrCodeSideLength", \Self.qrCodeSideLength),
        Field(5, "descriptionTextBox", \Self._descriptionTextBox),
    ])
}

struct WireQRCodeTextBoxAndroid: Message {
    var offsetX: Float = 0
    var offsetY: Float = 0
    var width: UInt32 = 0
    var height: UInt32 = 0
    var fontSize: UInt32 = 0
    /// Such as `#000000`.
    var fontColor: String = ""
    var unknownFields = UnknownStorage()

    static let fields = FieldTable("vigil.exposure.QRCodeTextBoxAndroid", \Self.unknownFields, [
        Field(1, "offsetX", \Self.offsetX),
        Field(2, "offsetY", \Self.offsetY),
        Field(3, "width", \Self.width),
        Field(4, "height", \Self.height),
        Field(5, "fontSize", \Self.fontSize),
        Field(6, "fontColor", \Self.fontColor),
    ])
}
