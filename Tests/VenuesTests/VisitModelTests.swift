import Testing
import Venues

@Suite struct VisitModelTests {
    @Test("reports are different, and some are of one venue")
    func reports() {
        var random = SystemRandomNumberGenerator()
        let reports = (0..<500).flatMap { _ in VisitModel().reports(using: &random) }
        #expect(Set(reports).count == reports.count)
        let venues = Set(reports.map { Array($0.locationIDHash) }).count
        #expect(venues < reports.count * 95 / 100 && venues > reports.count / 2)
    }
}
