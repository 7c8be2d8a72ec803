import DataDonation
import Running

@main enum Main {
    static func main() async {
        await serviceMain(DataDonation.self, name: "data-donation")
    }
}
