import DevelopmentAttestation
import Running

@main enum Main {
    static func main() async {
        await serviceMain(DevelopmentAttestation.self, name: "development-attestation")
    }
}
