import ExposureFormat

extension StaticMessageRuleTests {
    private static let wait =
        "must be from 1 to 60: cwa-app-ios uses 10 instead of 0, and cwa-app-android instead of more"

    static let certificates: [Case] = [
        Case(
            ios, "coronaTestParameters.coronaRapidAntigenTestParameters.hoursToDeemTestOutdated", "0",
            "coronaTestParameters.coronaRapidAntigenTestParameters.hoursToDeemTestOutdated must be at least 1."),
        Case(
            ios, "coronaTestParameters.coronaRapidAntigenTestParameters.hoursSinceSampleCollectionToShowRiskCard", nil,
            "coronaTestParameters.coronaRapidAntigenTestParameters.hoursSinceSampleCollectionToShowRiskCard must be at "
                + "least 1."),
        Case(
            android, "coronaTestParameters.coronaPCRTestParameters", "{}",
            "coronaTestParameters.coronaPCRTestParameters.hoursSinceTestRegistrationToShowRiskCard must be at least 1."),
        Case(
            ios, "dgcParameters.testCertificateParameters.waitAfterPublicKeyRegistrationInSeconds", "61",
            "dgcParameters.testCertificateParameters.waitAfterPublicKeyRegistrationInSeconds \(wait)."),
        Case(
            ios, "dgcParameters.testCertificateParameters.waitForRetryInSeconds", "0",
            "dgcParameters.testCertificateParameters.waitForRetryInSeconds \(wait)."),
        Case(android, "dgcParameters.testCertificateParameters.waitForRetryInSeconds", "1"),
        Case(android, "dgcParameters.testCertificateParameters.waitForRetryInSeconds", "60"),
        Case(android, "dgcParameters.testCertificateParameters", nil),
        Case(
            android, "dgcParameters.expirationThresholdInDays", "0",
            "dgcParameters.expirationThresholdInDays must not be 0: cwa-app-android uses 14 instead."),
        Case(android, "dgcParameters.expirationThresholdInDays", "1"),
        Case(ios, "dgcParameters.expirationThresholdInDays", "0"),
        Case(
            ios, "dgcParameters.blockListParameters.blockedUvciChunks[0].indices", "[]",
            "dgcParameters.blockListParameters.blockedUvciChunks[0].indices must not be empty."),
        Case(
            ios, "dgcParameters.blockListParameters.blockedUvciChunks[0].hash", #""AAEC""#,
            "dgcParameters.blockListParameters.blockedUvciChunks[0].hash must be a SHA-256, 32 bytes in Base64."),
        Case(
            android, "dgcParameters.reissueServicePublicKeyDigest", nil,
            "dgcParameters.reissueServicePublicKeyDigest must not be empty: \(discarded)."),
        Case(
            android, "dgcParameters", nil,
            "dgcParameters.reissueServicePublicKeyDigest must not be empty: \(discarded)."),
        // "no key generated", with which cwa-app-android 3.2.1 is delivered.
        Case(android, "dgcParameters.reissueServicePublicKeyDigest", #""bm8ga2V5IGdlbmVyYXRlZA==""#),
        Case(ios, "dgcParameters.reissueServicePublicKeyDigest", #""bm8ga2V5IGdlbmVyYXRlZA==""#),
        Case(ios, "dgcParameters.reissueServicePublicKeyDigest", nil),
    ]
}
