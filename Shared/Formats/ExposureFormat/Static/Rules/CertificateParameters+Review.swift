extension WireCoronaTestParameters {
    func review(_ review: inout MessageReview) {
        if hasCoronaRapidAntigenTestParameters {
            review.inside("coronaRapidAntigenTestParameters") { review in
                let test = coronaRapidAntigenTestParameters
                review.requireAtLeast(1, test.hoursToDeemTestOutdated, "hoursToDeemTestOutdated")
                review.requireAtLeast(
                    1, test.hoursSinceSampleCollectionToShowRiskCard, "hoursSinceSampleCollectionToShowRiskCard")
            }
        }
        if hasCoronaPcrtestParameters {
            review.inside("coronaPCRTestParameters") { review in
                review.requireAtLeast(
                    1, coronaPcrtestParameters.hoursSinceTestRegistrationToShowRiskCard,
                    "hoursSinceTestRegistrationToShowRiskCard")
            }
        }
    }
}

extension WireDGCParameters {
    private static let digestLength = 32

    func review(_ review: inout MessageReview) {
        if hasTestCertificateParameters {
            review.inside("testCertificateParameters") { review in
                // The user waits this long.
                let replaced = "cwa-app-ios uses 10 instead of 0, and cwa-app-android instead of more"
                review.require(
                    testCertificateParameters.waitAfterPublicKeyRegistrationInSeconds, in: 1...60,
                    "waitAfterPublicKeyRegistrationInSeconds", orElse: replaced)
                review.require(
                    testCertificateParameters.waitForRetryInSeconds, in: 1...60, "waitForRetryInSeconds",
                    orElse: replaced)
            }
        }
        review.inside("blockListParameters") { review in
            review.each("blockedUvciChunks", blockListParameters.blockedUvciChunks) { chunk, review in
                review.require(!chunk.indices.isEmpty, "indices", "must not be empty")
                review.require(chunk.hash.count == Self.digestLength, "hash", "must be a SHA-256, 32 bytes in Base64")
            }
        }
    }
}
