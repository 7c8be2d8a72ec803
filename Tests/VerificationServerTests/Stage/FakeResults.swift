import Credentials
import HTTPContract
import Serving
import Synchronization
import TLS
import TestResultAPI

/// A test result server as a real server: its own certificate, the routes and roles of its contract, results in memory.
final class FakeResults: Sendable {
    private let known = Mutex<[ResultID: ResultAnswer]>([:])
    private let failure = Mutex<Problem?>(nil)
    private let count = Mutex(0)
    private let knownCount = Mutex(0)

    /// The number of requests for a known result.
    var knownQuestions: Int { knownCount.withLock { $0 } }
    /// The number of requests.
    var questions: Int { count.withLock { $0 } }

    /// Adds a result.
    func set(_ code: TestResultCode, sampleCollected: Int32? = nil, labID: String? = nil, for guid: HashedGUID) {
        set(code, sampleCollected: sampleCollected, labID: labID, for: ResultID(guid))
    }

    /// Adds a result.
    func set(_ code: TestResultCode, sampleCollected: Int32? = nil, labID: String? = nil, for id: ResultID) {
        let answer = ResultAnswer(testResult: code, sampleCollected: sampleCollected, labID: labID)
        known.withLock { $0[id] = answer }
    }

    /// Makes it answer everything with a problem; nil ends that.
    func fail(with problem: Problem?) {
        failure.withLock { $0 = problem }
    }

    func listener(_ tls: TLSFiles) -> Listener {
        Listener(name: "results", host: "127.0.0.1", port: 0, security: .mutualTLS(tls)) { routes in
            routes.on(TestResultAPI.appResults) { queries, _ in
                self.count.withLock { $0 += queries.ids.count }
                if let problem = self.failure.withLock({ $0 }) { throw problem }
                return ResultAnswers(
                    queries.ids.map { id in
                        guard let answer = self.known.withLock({ $0[id] }) else {
                            return ResultAnswer(testResult: .pcrPending, sampleCollected: nil, labID: nil)
                        }
                        self.knownCount.withLock { $0 += 1 }
                        return answer
                    })
            }
        }
    }
}
