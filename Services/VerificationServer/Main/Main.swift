import Running
import VerificationServer

@main enum Main {
    static func main() async {
        await serviceMain(VerificationServer.self, name: "verification-server")
    }
}
