import Statistics

/// Draws the noise of a count: once for each count, before anything else.
struct CountNoise: Sendable {
    /// Noise for a count to which a person adds at most so many.
    let draw: @Sendable (_ unitsPerPerson: Int) -> Int

    /// From the system's generator.
    static let random = CountNoise { units in
        var randomness = SystemRandomNumberGenerator()
        return TwoSidedGeometric(unitsPerPerson: units).sample(using: &randomness)
    }
}
