import Running
import TestResultServer

@main enum Main {
    static func main() async {
        await serviceMain(TestResultServer.self, name: "test-result-server")
    }
}
