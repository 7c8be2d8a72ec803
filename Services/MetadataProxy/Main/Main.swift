import MetadataProxy
import Running

@main enum Main {
    static func main() async {
        await serviceMain(MetadataProxy.self, name: "metadata-proxy")
    }
}
