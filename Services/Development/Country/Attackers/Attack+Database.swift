import CountryModel
import ExposureFormat
import ExposureKeys
import Foundation
import SeizedBytes

extension Attack {
    /// Which of two keys of one age, level and hour came in one upload with a third one? The one that lies nearer to it in the files of a seized
    /// database.
    ///
    /// The weakness: a file that has the keys in the order of their uploads.
    /// - Parameter source: what the files are.
    static func regrouping(
        in output: PublicOutput, by source: String, _ files: [URL], seed: UInt64
    ) async throws -> Attack {
        let triples = triples(in: output, seed: seed)
        let search = ByteSearch(for: Array(Set(triples.flatMap { [$0.first, $0.right, $0.wrong] })))
        let weak = FileManager.default.temporaryDirectory.appending(path: "vigil-uploads-\(UUID().uuidString)")
        try output.inOrderOfUploads.write(to: weak)
        defer { try? FileManager.default.removeItem(at: weak) }
        return Attack(
            "which keys came together, by their places in \(source)", isPrevented: true,
            on: try await search.places(in: files), control: try await search.places(in: [weak])
        ) { places in
            triples.compactMap { triple in
                guard let first = places[triple.first], let right = places[triple.right],
                    let wrong = places[triple.wrong]
                else { return nil }
                return (-distance(first, right), -distance(first, wrong))
            }
        }
    }

    private typealias Triple = (first: KeyData, right: KeyData, wrong: KeyData)

    private static func triples(in output: PublicOutput, seed: UInt64) -> [Triple] {
        var random = RandomStream(seed: seed, attackers: 5)
        return output.packages.flatMap { package -> [Triple] in
            // After the night and without today's keys, which wait for the end of their periods: all keys were folded in one hour.
            guard package.hour.ofDay > 3 else { return [] }
            let today = package.hour.day.firstInterval
            let keys = package.keys.filter { $0.rollingPeriod.end <= today }
            let owners = Dictionary(grouping: keys) { output.owners[$0.data] }
            return owners.keys.compactMap(\.self).sorted().flatMap { owner -> [Triple] in
                let own = owners[owner] ?? []
                return own.dropLast().compactMap { first -> Triple? in
                    guard let right = own.filter({ $0.data != first.data }).randomElement(using: &random) else {
                        return nil
                    }
                    return keys.filter {
                        output.owners[$0.data] != owner && $0.rollingPeriod == right.rollingPeriod
                            && $0.transmissionRiskLevel == right.transmissionRiskLevel
                    }.randomElement(using: &random).map { (first.data, right.data, $0.data) }
                }
            }
        }
    }

    /// The least distance between two keys, each of which may lie in several places.
    private static func distance(_ one: [Int], _ other: [Int]) -> Double {
        Double(one.reduce(Int.max) { least, place in other.reduce(least) { min($0, abs($1 - place)) } })
    }
}

extension PublicOutput {
    /// The keys of each person one behind the other, and each filler for itself.
    fileprivate var inOrderOfUploads: Data {
        let keys = packages.flatMap { package in
            package.keys.map(\.data).sorted {
                (owners[$0]?.rawValue ?? .max, $0) < (owners[$1]?.rawValue ?? .max, $1)
            }
        }
        return keys.reduce(into: Data()) { $0 += $1.bytes + [UInt8](repeating: 0, count: 48) }
    }
}
