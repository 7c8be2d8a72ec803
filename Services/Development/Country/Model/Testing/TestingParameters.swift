/// Who is tested, and how results reach people. Sources: the table in this module's README.
package struct TestingParameters: Sendable {
    /// The share of people with symptoms who order a test.
    package var symptomsShare = 0.5
    /// The share of people who order a test on a day without any reason.
    package var randomShare = 0.001
    /// Days from symptoms to the sample.
    package var orderDelay = 1.0
    /// Hours from the sample to the result: median and mean of a lognormal distribution.
    package var laboratoryDelay = (median: 12.0, mean: 21.0)
    /// Results come after this many days at the latest.
    package var longestLaboratoryDelay = 7.0
    /// Days after infection in which a sample can be positive.
    package var sensitiveDays = 3.0..<14.0
    /// The share of infected people whose sample is positive in those days.
    package var sensitivity = 0.8
    /// The share of negative samples among those of other people.
    package var specificity = 0.999
    /// The share of tests with a QR code, whose result laboratories post.
    package var electronicShare = 0.85
    /// The share of users who register their test: scan the code, or want a teleTAN.
    package var registrationShare = 0.55
    /// The share of users with a positive registered test who warn others.
    package var consentShare = 0.8
    /// The share of these who share their check-ins too.
    package var checkInConsentShare = 0.8
    /// Of people who warn others and have symptoms: the shares that name the day of onset, a range of days, or no day. The rest says
    /// nothing about symptoms.
    package var answers = (day: 0.6, range: 0.15, unknown: 0.1)
    /// Of people who warn others and have no symptoms: the share that says so. The rest says nothing.
    package var noSymptomsAnswer = 0.7

    /// The published values, and where there are none, our own.
    package init() {}
}

/// What people do when they learn something. Sources: the table in this module's README.
package struct BehaviourParameters: Sendable {
    /// Days of quarantine after a positive test or a red warning.
    package var quarantineDays = 14
    /// The share of people with a positive test who stay at home.
    package var complianceOfPositive = 0.9
    /// The share of people with a red warning who stay at home.
    package var complianceOfWarned = 0.5
    /// The share of those at home who give up on a day: with a positive test, with a warning.
    package var dailyDropout = (positive: 0.01, warned: 0.03)
    /// The share of people with a red warning who are tested.
    package var warnedTestShare = 0.831
    /// Days from the warning to the sample: median and mean of a lognormal distribution.
    package var warnedTestDelay = (median: 1.8, mean: 3.6)
    /// Days after which nobody is tested because of a warning any more.
    package var longestWarnedTestDelay = 14.0

    /// The published values.
    package init() {}
}
