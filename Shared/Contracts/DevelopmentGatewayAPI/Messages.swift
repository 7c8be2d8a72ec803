package import HTTPContract

/// An upload by a simulated country.
package struct CountryUpload: JSONMessage, Equatable {
    /// What is wrong with it.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// Nothing.
        case good
        /// Some keys break a rule of importers that the gateway doesn't check: unaligned starts, odd days since onset, refused types.
        case bad
        /// Signed by a key that the country's certificate doesn't have, with another certificate of the same subject beside the
        /// signature. The real gateway would refuse it; this one stores it.
        case forged
        /// With the signature of the country's previous upload. This one is stored, too.
        case replayed
        /// With one key more than the gateway takes: 5,001, whatever ``keys`` and ``data`` say.
        case oversized
    }

    /// One of the simulated countries.
    package let country: String
    /// What is wrong with it.
    package let kind: Kind
    /// How many keys; ignored with ``data``.
    package let keys: Int
    /// The keys, in Base64; random ones if missing.
    package let data: [String]?
    /// Where the people were; the simulated home country if missing.
    package let visited: [String]?
    /// The start of the keys' rolling period; yesterday's midnight if missing.
    package let rollingStart: Int?

    /// An upload as its parts.
    package init(
        country: String, kind: Kind = .good, keys: Int = 0, data: [String]? = nil, visited: [String]? = nil,
        rollingStart: Int? = nil
    ) {
        self.country = country
        self.kind = kind
        self.keys = keys
        self.data = data
        self.visited = visited
        self.rollingStart = rollingStart
    }

    package static var schema: JSONSchema {
        .object(
            ["country": .text(count: 2...2), "kind": .name(of: Kind.self), "keys": .integer(in: 0...5_001)],
            optional: [
                "data": .array(of: .text(count: 24...24), count: 1...5_001),
                "visited": .array(of: .text(count: 2...2), count: 0...96), "rollingStart": .wholeNumber,
            ])
    }
}

/// What became of an upload.
package struct CountryUploaded: JSONMessage, Equatable {
    /// The status with which the gateway answered the country.
    package let status: Int
    /// The upload's keys, in Base64.
    package let keys: [String]

    /// An outcome as its parts.
    package init(status: Int, keys: [String]) {
        self.status = status
        self.keys = keys
    }

    package static var schema: JSONSchema {
        .object(["status": .integer(in: 100...599), "keys": .array(of: .text(count: 24...24), count: 0...5_001)])
    }
}

/// What time the gateway's clock should show at least.
package struct GatewayTime: JSONMessage, Equatable {
    /// Seconds since 1970.
    package let now: Int

    /// A time from its seconds.
    package init(now: Int) { self.now = now }

    package static var schema: JSONSchema { .object(["now": .wholeNumber]) }
}

/// A wish for batching.
package struct BatchingRequest: JSONMessage, Equatable {
    /// The only value.
    package init() {}

    package static var schema: JSONSchema { .object([:]) }
}

/// What batching did.
package struct Batched: JSONMessage, Equatable {
    /// The new batches, in order.
    package let tags: [String]

    /// An outcome as its parts.
    package init(tags: [String]) { self.tags = tags }

    package static var schema: JSONSchema { .object(["tags": .array(of: .text(count: 1...64), count: 0...10_000)]) }
}

/// Asks what a country would download.
package struct ReceivedQuery: JSONMessage, Equatable {
    /// The country that downloads: its own uploads are left out.
    package let country: String

    /// A query for one country.
    package init(country: String) { self.country = country }

    package static var schema: JSONSchema { .object(["country": .text(count: 2...2)]) }
}

/// What a country would download.
package struct ReceivedKeys: JSONMessage, Equatable {
    /// An upload in a batch.
    package struct Upload: Codable, Sendable, Equatable {
        /// The batch's name.
        package let batch: String
        /// Who uploaded it.
        package let country: String
        /// Its keys, in Base64.
        package let keys: [String]

        /// An upload as its parts.
        package init(batch: String, country: String, keys: [String]) {
            self.batch = batch
            self.country = country
            self.keys = keys
        }
    }

    /// In the order of the batches.
    package let uploads: [Upload]

    /// An answer as its parts.
    package init(uploads: [Upload]) { self.uploads = uploads }

    package static var schema: JSONSchema {
        .object([
            "uploads": .array(
                of: .object([
                    "batch": .text(count: 1...64), "country": .text(count: 2...2),
                    "keys": .array(of: .text(count: 24...24), count: 0...5_000),
                ]), count: 0...10_000)
        ])
    }
}

/// How the gateway misbehaves: the next requests of a kind, one fault after another.
package struct GatewayBehaviour: JSONMessage, Equatable {
    /// What goes wrong.
    package enum Fault: String, Codable, Sendable, CaseIterable {
        /// Nothing: forgets all faults that were asked for.
        case none
        /// The answer 503.
        case unavailable
        /// The answer 429.
        case tooManyRequests
        /// The answer 200 with a page in HTML, as a load balancer in front gives it.
        case page
        /// The answer 403 with the gateway's text for a revoked certificate.
        case refused
        /// The answer 403 without a word, as something in front of the gateway gives it.
        case refusedSilently
        /// The answer has a field and a member more, as a later version's may have.
        case addedFields
        /// The request is carried out, and the connection closed instead of an answer.
        case lostAnswer
        /// The connection is closed before anything is done.
        case hangUp
        /// The answer's bytes come one by one, and never end.
        case slow
        /// The body is as long as a gigabyte.
        case endless
        /// The link leads to a new batch each time.
        case endlessChain
        /// The link leads back to the same batch.
        case loop
        /// The tag in the answer is another batch's.
        case otherTag
        /// Keys of a country's uploads take turns, as if it had uploaded them at the same moment: the real gateway orders by key.
        case interleaved
        /// The keys name another country as their origin.
        case foreignOrigin
        /// The caller's own keys are in the batch, with another country's name and signature.
        case ownKeys
        /// The audit counts one key more than there are.
        case wrongAmount
        /// The audit has the signature of another batch.
        case otherSignature
        /// The audit's certificates aren't signed by the trust anchor.
        case untrusted
        /// The audit doesn't show the certificates.
        case withoutCertificates
        /// The audit isn't there.
        case withoutAudit
        /// The answer 207 in which every third key is known and every seventh can't be stored.
        case partial
        /// The request is carried out, and a load balancer that has lost patience answers 504.
        case gatewayTimeout
        /// A subscription's address counts as a private one, which loopback addresses are for the real gateway.
        case refusedCallback
    }

    /// The operations that it concerns.
    package enum Operation: String, Codable, Sendable, CaseIterable {
        case upload, download, audit
        /// The list of subscriptions.
        case callbacks
        /// One subscription that is made or ended.
        case subscription
    }

    /// What goes wrong.
    package let fault: Fault
    /// For which operation; all if missing.
    package let operation: Operation?
    /// The number of requests; nil for all following ones.
    package let times: Int?

    /// A behaviour as its parts.
    package init(_ fault: Fault, _ operation: Operation? = nil, times: Int? = nil) {
        self.fault = fault
        self.operation = operation
        self.times = times
    }

    package static var schema: JSONSchema {
        .object(
            ["fault": .name(of: Fault.self)],
            optional: ["operation": .name(of: Operation.self), "times": .integer(in: 1...1_000_000)])
    }
}
