/// Who lives in the country, and with which phones. Sources: the table in this module's README.
package struct PeopleParameters: Sendable {
    /// Numbers of households with one to six people, in any unit.
    package var householdSizes: [Double] = [7452, 9936, 4416, 4140, 1104, 552]
    /// Numbers of people by decade of age, in any unit.
    package var ages: [Double] = [8054, 7528, 8712, 8835, 8500, 8968, 7069, 5488, 3281]
    /// The share of everybody who has the app, with tracing switched on.
    package var appShare = 0.35
    /// How much likelier the app is in one decade of age than in another.
    package var appByAge: [Double] = [0.09, 0.80, 0.97, 0.96, 0.94, 0.86, 0.70, 0.48, 0.32]
    /// The share of users who have the Further app as well.
    package var furtherShare = 0.5
    /// The share of users with Android; the others have iOS.
    package var androidShare = 0.6
    /// The share of Android phones that have Wi-Fi all day.
    package var wiFiAllDayShare = 0.4
    /// The share of Android phones that have Wi-Fi by night only. The rest never has any.
    package var wiFiByNightShare = 0.4
    /// The share of phones whose Bluetooth is calibrated (confidence 3). The others have confidence 0.
    package var calibratedShare = 0.7
    /// How far off phones are that aren't calibrated: standard deviation in dB.
    package var calibrationDeviation = 4.0
    /// The values of transmission power that phones report, in dBm; each is equally frequent.
    package var transmitPowers: [Int8] = [-24, -14]

    /// The published values.
    package init() {}
}
