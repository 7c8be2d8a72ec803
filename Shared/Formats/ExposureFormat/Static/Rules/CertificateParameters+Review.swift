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
        review.inside("testCertificateParameters") { review in
            // The user waits this long.
            review.require(
                testCertificateParameters.waitAfterPublicKeyRegistrationInSeconds, in: 0...60,
                "waitAfterPublicKeyRegistrationInSeconds")
            review.require(testCertificateParameters.waitForRetryInSeconds, in: 0...60, "waitForRetryInSeconds")
        }
        review.inside("blockListParameters") { review in
            review.each("blockedUvciChunks", blockListParameters.blockedUvciChunks) { chunk, review in
                review.require(!chunk.indices.isEmpty, "indices", "must not be empty")
                review.require(chunk.hash.count == Self.digestLength, "hash", "must be a SHA-256, 32 bytes in Base64")
            }
        }
    }
}
