import Running
import SubmissionServer

@main enum Main {
    static func main() async {
        await serviceMain(SubmissionServer.self, name: "submission-server")
    }
}
