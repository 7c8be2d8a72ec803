/// The operating systems, which differ in a few rules.
package enum Platform: Hashable, Sendable, CaseIterable {
    case android
    case iOS
}

/// How a phone makes attenuations of what it receives.
///
/// The limits are those of google/exposure-notifications-internals (`ContactTracingFeature`) and of Apple's published sample.
package struct Receiver: Hashable, Sendable {
    /// Whose limits hold.
    package let platform: Platform
    /// What is added to a signal's strength to correct for the phone's model, in dB.
    package let correction: Int

    /// A phone's receiver.
    package init(platform: Platform, correction: Int = 0) {
        self.platform = platform
        self.correction = correction
    }

    /// The loss between two phones, in dB; nil if the operating system discards the broadcast.
    /// - Parameters:
    ///   - transmitPower: what the sender says, in dBm. Anybody can say anything.
    ///   - strength: of the received signal, in dBm.
    package func attenuation(transmitPower: Int8, strength: Int8) -> Int? {
        let attenuation = Int(transmitPower) - (Int(strength) + correction)
        switch platform {
        case .android: return (-50...20).contains(transmitPower) ? max(0, attenuation) : nil
        case .iOS: return (-60...20).contains(transmitPower) && (1...255).contains(attenuation) ? attenuation : nil
        }
    }
}
