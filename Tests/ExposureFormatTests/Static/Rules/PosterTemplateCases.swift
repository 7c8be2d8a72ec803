import ExposureFormat

extension StaticMessageRuleTests {
    static let posters: [Case] = [
        Case(.posterTemplateIOS, "template", #""AAEC""#, "template must be a PDF in Base64."),
        Case(.posterTemplateAndroid, "template", nil, "template must be a PDF in Base64."),
        Case(.posterTemplateIOS, "qrCodeSideLength", "0", "qrCodeSideLength must be at least 1."),
        Case(.posterTemplateAndroid, "qrCodeSideLength", "4097", "qrCodeSideLength must be from 1 to 4096."),
        Case(.posterTemplateIOS, "descriptionTextBox", nil, "descriptionTextBox is missing."),
        Case(.posterTemplateIOS, "addressTextBox", nil, "addressTextBox is missing."),
        Case(.posterTemplateIOS, "addressTextBox.width", "0", "addressTextBox.width must be at least 1."),
        Case(.posterTemplateIOS, "descriptionTextBox.height", nil, "descriptionTextBox.height must be at least 1."),
        Case(.posterTemplateIOS, "descriptionTextBox.fontSize", "0", "descriptionTextBox.fontSize must be at least 1."),
        Case(
            .posterTemplateAndroid, "descriptionTextBox.fontSize", "6",
            "descriptionTextBox.fontSize must be at least 7: cwa-app-android fails with less."),
        Case(.posterTemplateAndroid, "descriptionTextBox.fontSize", "7"),
        Case(
            .posterTemplateIOS, "descriptionTextBox.fontColor", #""black""#,
            "descriptionTextBox.fontColor must be a color such as #000000."),
        Case(.posterTemplateAndroid, "descriptionTextBox", nil, "descriptionTextBox is missing."),
        Case(.posterTemplateAndroid, "offsetX", "0.5", "offsetX must be at least 0 and less than 0.5."),
        Case(.posterTemplateAndroid, "offsetX", "0"),
        Case(
            .posterTemplateAndroid, "descriptionTextBox.offsetY", "1",
            "descriptionTextBox.offsetY must be at least 0 and less than 1."),
    ]
}
