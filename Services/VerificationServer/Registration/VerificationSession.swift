import Credentials
import VerificationAPI

/// A registration as it is stored.
struct VerificationSession: Sendable {
    enum Proof: Sendable {
        case guid(HashedGUID, birthDate: ResultID?)
        case teleTAN(TeleTANKind)
    }

    let proof: Proof
    /// Hours since the epoch; no finer time is stored.
    let createdHour: Int32

    /// The kind of the teleTAN that opened it; nil for a test from a laboratory.
    var teleTANKind: TeleTANKind? {
        switch proof {
        case .teleTAN(let kind): kind
        case .guid: nil
        }
    }

    /// From the columns of a row; nil if no registration writes such a row.
    init?(_ guid: String?, _ birthDate: String?, _ kind: String?, _ createdHour: Int32) {
        if let guid = guid.flatMap(HashedGUID.init) {
            proof = .guid(guid, birthDate: birthDate.flatMap(ResultID.init))
        } else if let kind = kind.flatMap(TeleTANKind.init) {
            proof = .teleTAN(kind)
        } else {
            return nil
        }
        self.createdHour = createdHour
    }
}
