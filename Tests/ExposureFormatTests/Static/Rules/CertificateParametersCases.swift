import ExposureFormat

extension StaticMessageRuleTests {
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
            "dgcParameters.testCertificateParameters.waitAfterPublicKeyRegistrationInSeconds must be from 0 to 60."),
        Case(
            ios, "dgcParameters.testCertificateParameters.waitForRetryInSeconds", "61",
            "dgcParameters.testCertificateParameters.waitForRetryInSeconds must be from 0 to 60."),
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
