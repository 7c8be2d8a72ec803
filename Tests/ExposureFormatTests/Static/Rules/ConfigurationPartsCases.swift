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
            android, "keyDownloadParameters.downloadTimeoutInSeconds", "0",
            "keyDownloadParameters.downloadTimeoutInSeconds must be from 1 to 1800: cwa-app-android uses 60 instead."),
        Case(
            first, "androidKeyDownloadParameters.overallTimeoutInSeconds", "1801",
            "androidKeyDownloadParameters.overallTimeoutInSeconds must be from 1 to 1800: cwa-app-android uses 480 "
                + "instead."),
        Case(android, "keyDownloadParameters.overallTimeoutInSeconds", "1800"),
        Case(android, "keyDownloadParameters", nil),
        Case(
            ios, "exposureDetectionParameters", "{}",
            "exposureDetectionParameters.maxExposureDetectionsPerInterval must be from 1 to 6: with 0 or less cwa-app-ios "
                + "never looks for exposures."),
        Case(
            ios, "exposureDetectionParameters", nil,
            "exposureDetectionParameters is missing: cwa-app-ios never looks for exposures without it."),
        Case(
            android, "exposureDetectionParameters.maxExposureDetectionsPerInterval", "7",
            "exposureDetectionParameters.maxExposureDetectionsPerInterval must be from 1 to 6: cwa-app-android looks for "
                + "exposures once a day with 0, and uses 6 instead of the rest."),
        Case(android, "exposureDetectionParameters.maxExposureDetectionsPerInterval", "1"),
        Case(android, "exposureDetectionParameters", nil),
        Case(
            android, "exposureDetectionParameters.overallTimeoutInSeconds", "3601",
            "exposureDetectionParameters.overallTimeoutInSeconds must be from 1 to 3600: cwa-app-android uses 900 "
                + "instead."),
        Case(
            android, "appFeatures.appFeatures[0]", #"{"label": "disable-device-time-check", "value": 2}"#,
            "appFeatures.appFeatures[0].value must be 0 or 1: cwa-app-android and cwa-app-ios read every other value as "
                + "0."),
        Case(ios, "appFeatures.appFeatures[0]", #"{"label": "disable-device-time-check", "value": 1}"#),
        Case(
            ios, "appFeatures.appFeatures[0]", #"{"label": "dcc-person-count-max"}"#,
            "appFeatures.appFeatures[0].value must be at least 1: cwa-app-ios uses its own value instead of 0, and "
                + "cwa-app-android instead of less."),
        Case(android, "appFeatures.appFeatures[0]", #"{"label": "dcc-person-warn-threshold", "value": 1}"#),
    ]
}
