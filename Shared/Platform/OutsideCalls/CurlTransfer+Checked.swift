import CCurl
import Loop

extension CurlTransfer {
    /// Finds the addresses of a host.
    typealias LookUp = @Sendable (_ host: String) -> [OutsideAddress]

    /// Carries a plan out. It blocks.
    ///
    /// Where a stranger chose the URL, the name is looked up once, here, and the call goes to an address that was checked then, also
    /// if the name has another one by now. A proxy is given that address, not the name: it looks nothing up. How libcurl reads the
    /// host doesn't matter, since it isn't what is called.
    static func carryOut(_ plan: Plan, _ lookUp: LookUp) throws(OutsideProblem) -> OutsideResponse {
        guard plan.reach.isChecked else { return try CurlTransfer(plan).perform() }
        let addresses = lookUp(try host(of: plan.request.url))
        guard !addresses.isEmpty else { throw .noConnection }
        var problem = OutsideProblem.forbiddenAddress
        let allowed = addresses.filter { $0.isAllowed(plan.reach) }
        for (number, address) in allowed.enumerated() {
            var plan = plan
            plan.address = address
            plan.connectTime = (plan.end - .now()) / (allowed.count - number)
            do {
                return try CurlTransfer(plan).perform()
            } catch {
                // Another address may do, as long as nothing was sent.
                guard [.noConnection, .proxy, .timedOut].contains(error), plan.end > .now(), !plan.isCancelled.isSet
                else {
                    throw error
                }
                problem = error
            }
        }
        throw problem
    }

    /// The host of a URL, in ASCII.
    private static func host(of url: String) throws(OutsideProblem) -> String {
        guard let parsed = curl_url() else { throw .noConnection }
        defer { curl_url_cleanup(parsed) }
        guard curl_url_set(parsed, CURLUPART_URL, url, UInt32(CURLU_DISALLOW_USER)) == CURLUE_OK else { throw .url }
        var text: UnsafeMutablePointer<CChar>?
        defer { curl_free(text) }
        guard curl_url_get(parsed, CURLUPART_HOST, &text, UInt32(CURLU_PUNYCODE | CURLU_URLDECODE)) == CURLUE_OK,
            let text
        else { throw .url }
        let host = String(cString: text)
        return host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }
}
