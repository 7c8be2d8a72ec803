import CountryModel
import ExposureFormat

extension Attack {
    /// Which of two keys of a package came in one upload with a third one? The nearer one, if the order tells anything.
    ///
    /// The weakness: a package in the order of uploads.
    static func orderOfKeys(in output: PublicOutput, seed: UInt64) -> Attack {
        let weak = output.changed { package in
            let owner = { output.owners[$0]?.rawValue ?? .max }
            package.keys.sort { owner($0.data) < owner($1.data) }
        }
        return Attack(
            "which keys of a package came together, by their places", isPrevented: true, on: output, control: weak
        ) { output in
            var random = RandomStream(seed: seed, attackers: 1)
            var questions: [Question] = []
            for package in output.packages {
                let places = Dictionary(grouping: package.keys.indices) { output.owners[package.keys[$0].data] }
                for owner in places.keys.compactMap(\.self).sorted() {
                    let own = places[owner] ?? []
                    let others = package.keys.indices.filter { output.owners[package.keys[$0].data] != owner }
                    for first in own.dropLast() {
                        // Any other key of the person, not the nearest one.
                        guard let right = own.filter({ $0 != first }).randomElement(using: &random),
                            let wrong = others.randomElement(using: &random)
                        else { continue }
                        questions.append((-Double(abs(right - first)), -Double(abs(wrong - first))))
                    }
                }
            }
            return questions
        }
    }
}
