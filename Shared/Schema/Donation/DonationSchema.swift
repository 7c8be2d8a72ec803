extension DatabaseRole {
    /// data-donation, which admits apps
    package static let donation = DatabaseRole("vigil_donation", marksCommits: true)
    /// data-donation fold, the process that opens the inbox
    package static let donationFold = DatabaseRole("vigil_donation_fold")
}

extension Schema {
    /// The tables of data-donation and its fold.
    package static let donation = Schema(
        "donation", roles: [.donation, .donationFold], migrations: Migration.donation,
        reads: [country, donatedFigures], retention: RetentionRule.donation,
        exempt: [
            "donation.inbox": "emptied by the fold, hour by hour",
            "donation.released_table": "released for good, with its cells",
            "donation.released_cell": "numbers of nobody, released for good: the owner may delete old ones",
            "donation.raw_audit": "evidence of who took rows, sealed to the auditor: the owner may delete old entries",
        ])
}
