import ExposureFormat

extension StaticMessageRuleTests {
    static let parts: [Case] = [
        Case(ios, "minVersion.major", "5", "minVersion must not be above latestVersion."),
        Case(
            ios, "minVersion", #"{"major": 4, "minor": 5, "patch": 7}"#, "minVersion must not be above latestVersion."),
        Case(ios, "minVersion", #"{"major": 4, "minor": 5, "patch": 6}"#),
        Case(ios, "minVersion", nil),
        Case(android, "minVersionCode", "3000000001", "minVersionCode must not be above latestVersionCode."),
        Case(android, "minVersionCode", "-1", "minVersionCode must be at least 0."),
        Case(ios, "appFeatures.appFeatures[1].label", #""""#, "appFeatures.appFeatures[1].label must not be empty."),
        Case(
            ios, "appFeatures.appFeatures[1].label", #""first""#,
            "appFeatures.appFeatures.label must not have the same value twice."),
        Case(
            ios, "supportedCountries", #"["de"]"#, "supportedCountries must be countries of two capital letters each."),
        Case(
            android, "supportedCountries", #"["EUR"]"#,
            "supportedCountries must be countries of two capital letters each."),
        Case(
            first, "supportedCountries", #"["ÄÖ"]"#,
            "supportedCountries must be countries of two capital letters each."),
        Case(
            ios, "supportedCountries", #"["FR", "DE"]"#,
            "supportedCountries must be in alphabetical order, each country once."),
        Case(
            ios, "supportedCountries", #"["DE", "DE"]"#,
            "supportedCountries must be in alphabetical order, each country once."),
        Case(ios, "supportedCountries", "[]"),
        Case(
            ios, "keyDownloadParameters.revokedDayPackages[0].region", #""Germany""#,
            "keyDownloadParameters.revokedDayPackages[0].region must be a country of two capital letters, or EUR."),
        Case(ios, "keyDownloadParameters.revokedDayPackages[0].region", #""EUR""#),
        Case(
            ios, "keyDownloadParameters.revokedDayPackages[0].date", #""2026-02-29""#,
            "keyDownloadParameters.revokedDayPackages[0].date must be a day such as 2026-11-20."),
        Case(
            ios, "keyDownloadParameters.revokedDayPackages[0].etag", nil,
            "keyDownloadParameters.revokedDayPackages[0].etag must not be empty."),
        Case(
            ios, "keyDownloadParameters.revokedHourPackages[0].hour", "24",
            "keyDownloadParameters.revokedHourPackages[0].hour must be from 0 to 23."),
        Case(
            android, "keyDownloadParameters.revokedHourPackages[0].hour", "-1",
            "keyDownloadParameters.revokedHourPackages[0].hour must be from 0 to 23."),
        Case(
            first, "androidKeyDownloadParameters.revokedHourPackages[0].etag", #""""#,
            "androidKeyDownloadParameters.revokedHourPackages[0].etag must not be empty."),
        Case(
            ios, "keyDownloadParameters.revokedTraceWarningPackages[0]", "{}",
            "keyDownloadParameters.revokedTraceWarningPackages[0].etag must not be empty."),
        Case(
            android, "keyDownloadParameters.downloadTimeoutInSeconds", "-1",
            "keyDownloadParameters.downloadTimeoutInSeconds must be at least 0."),
        Case(
            android, "keyDownloadParameters.overallTimeoutInSeconds", "-1",
            "keyDownloadParameters.overallTimeoutInSeconds must be at least 0."),
        Case(
            ios, "exposureDetectionParameters", "{}",
            "exposureDetectionParameters.maxExposureDetectionsPerInterval must be at least 1."),
        Case(ios, "exposureDetectionParameters", nil),
        Case(
            android, "exposureDetectionParameters.overallTimeoutInSeconds", "-1",
            "exposureDetectionParameters.overallTimeoutInSeconds must be at least 0."),
    ]
}
