import ExposureFormat

extension StaticMessageRuleTests {
    static let certificateLists: [Case] = [
        Case(.signers, "certificates[0].kid", #""AAEC""#, "certificates[0].kid must be 8 bytes in Base64."),
        Case(
            .signers, "certificates[1].data", nil, "certificates[1].data must be a certificate in DER, in Base64."),
        Case(.signers, "certificates", "[]"),
        Case(.revocations, "items[0].kid", nil, "items[0].kid must be 8 bytes in Base64."),
        Case(.revocations, "items[1].kid", #""AAECAwQFBgc=""#, "items.kid must not have the same value twice."),
        Case(
            .revocations, "items[0].hashTypes[0]", #""DQ==""#,
            "items[0].hashTypes must be one byte each, 0x0A, 0x0B or 0x0C, in Base64."),
        Case(
            .validationServices, "certificates[0].fingerprint256", #""AAEC""#,
            "certificates[0].fingerprint256 must be a SHA-256, 32 bytes in Base64."),
        Case(.validationServices, "certificates[0].hostname", nil, "certificates[0].hostname must not be empty."),
        Case(
            .validationServices, "certificates[0].serviceProvider", #""""#,
            "certificates[0].serviceProvider must not be empty."),
        Case(
            .validationServices, "serviceProviders[0]", "{}",
            "serviceProviders[0].serviceIdentityHash must be a SHA-256, 32 bytes in Base64."),
        Case(.valueSets, "tcMa.items[0].key", nil, "tcMa.items[0].key must not be empty."),
        Case(.valueSets, "vp.items[1].key", #""vp1""#, "vp.items.key must not have the same value twice."),
        Case(.valueSets, "vp", nil),
    ]
}
