/// What phones hear of each other. Sources: the table in this module's README.
package struct RadioParameters: Sendable {
    /// Seconds from the start of a scan to that of the next one.
    package var scanGap: ClosedRange<Int64> = 211...300
    /// Seconds that a scan lasts.
    package var scanLength: Int64 = 4
    /// Packets of one sender in a scan.
    package var packetsPerScan = 6
    /// The share of scans in which a phone nearby is heard at all.
    package var scanDetection = 0.75
    /// Attenuation in dB: at one metre, and more for each tenfold distance.
    package var attenuation = (atOneMetre: 54.2, perDecade: 11.8)
    /// Standard deviations in dB: of a pair (bodies, pockets, bags), of a scan of that pair, of a packet.
    package var deviation = (pair: 5.0, scan: 4.4, packet: 3.9)
    /// The weakest packet that a receiver hears, in dBm.
    package var weakest: Int8 = -105

    /// The published values.
    package init() {}
}
