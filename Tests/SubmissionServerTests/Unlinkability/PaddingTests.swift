import ExposureKeys
import TestSupport
import Testing

@testable import SubmissionServer

/// Observers of published packages who want to know how many people uploaded, as those did who undid Corona-Warn-App's
/// padding. All is drawn from seeds.
///
/// Among 1,080 sets of one size a correlation above 0.17 is no luck; the regression is judged on half of them, where it is
/// 0.24. It would find a guess whose square error is smaller than the constant's by a tenth.
@Suite("What a published set tells about how many people are in it", .heavy) struct PaddingTests {
    private static let hour = Samples.hour

    /// A set, and how many people are really in it.
    private struct Case {
        let estimators: PaddingEstimators
        let people: Int
    }

    /// Sets of nobody up to eight people, as many of each, in random order.
    private static func cases(
        ofEach count: Int, seed: UInt64, upload: (inout SeededGenerator) -> [DiagnosisKey] = modelUpload,
        published: ([DiagnosisKey], inout SeededGenerator) -> [DiagnosisKey]
    ) -> [Case] {
        var random = SeededGenerator(seed: seed)
        return (0..<count * 9).shuffled(using: &random).map { number in
            let keys = (0..<number % 9).flatMap { _ in upload(&random) }
            let sample = PublishedSample(published(keys, &random), of: hour)
            return Case(estimators: PaddingEstimators(sample: sample), people: number % 9)
        }
    }

    private static func modelUpload(_ random: inout SeededGenerator) -> [DiagnosisKey] {
        UploadModel().keys(uploadedIn: hour, using: &random)
    }

    /// Fills sets up as the fold does.
    private static func fill(_ keys: [DiagnosisKey], _ random: inout SeededGenerator) -> [DiagnosisKey] {
        Fillers(sizes: SizeClasses(smallest: 140)).fill(keys, of: hour, at: hour.end, using: &random)
    }

    /// How far what a regression on all estimators, learnt from half of the sets, guesses of the other half goes with the
    /// truth; and how far it may by luck.
    private static func regression(_ cases: [Case]) -> (correlation: Double, luck: Double) {
        let rows = cases.map { $0.estimators.all.map(\.value) }
        let people = cases.map { Double($0.people) }
        let half = cases.count / 2
        let regression = Regression(Array(rows[..<half]), Array(people[..<half]))
        let guesses = rows[half...].map(regression.guess)
        return (Correlation.pearson(guesses, Array(people[half...])), Chance.correlation(of: guesses.count))
    }

    @Test(
        "of two sets of one size nobody can tell which has more people, by any of the known estimators or all together")
    func filled() {
        let cases = Self.cases(ofEach: 120, seed: 1, published: Self.fill)
        #expect(cases.allSatisfy { $0.estimators.size == 140 })
        let people = cases.map { Double($0.people) }
        let rows = cases.map { $0.estimators.all.map(\.value) }
        for (column, name) in cases[0].estimators.all.map(\.name).enumerated() {
            let correlation = Correlation.ofRanks(rows.map { $0[column] }, people)
            #expect(abs(correlation) < Chance.correlation(of: cases.count), "\(name)")
        }
        let (correlation, luck) = Self.regression(cases)
        #expect(abs(correlation) < luck)
    }

    @Test("the same observers do learn something where people are not as the model has them")
    func misfit() throws {
        // Everybody had the phone for two weeks and says nothing about symptoms, as does one of four of the model's people.
        let cases = Self.cases(ofEach: 60, seed: 2) { random in
            var keys: [DiagnosisKey] = []
            repeat {
                keys = Self.modelUpload(&random)
            } while keys.count < 14
                || !keys.allSatisfy { (3986...3999).contains($0.daysSinceOnsetOfSymptoms.rawValue) }
            return keys
        } published: {
            Self.fill($0, &$1)
        }
        let (correlation, luck) = Self.regression(cases)
        #expect(correlation > luck)
    }

    @Test(
        "of sets padded with copies of real metadata the same estimators tell the factor and the people",
        arguments: [5, 10])
    func copied(factor: Int) {
        let cases = Self.cases(ofEach: 20, seed: 3) { keys, _ in
            // The data of the copies would be random; nobody looks at them.
            keys.flatMap { repeatElement($0, count: factor) }
        }
        // What all sets have in common: where few people uploaded, one set may show a multiple of it.
        let found = cases.map(\.estimators.commonDivisor).reduce(0, PaddingEstimators.greatestCommonDivisor)
        #expect(found == factor)

        let people = cases.map { Double($0.people) }
        let guesses = cases.map { $0.estimators.people(copies: found) }
        #expect(Correlation.pearson(guesses, people) > 0.95)
        #expect(zip(guesses, people).count { $0 == $1 } > cases.count * 3 / 4)
    }
}
