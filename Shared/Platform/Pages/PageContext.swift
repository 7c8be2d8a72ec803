package import Hummingbird
package import Logging
package import Serving

/// What a page's handler knows of a request beside the request itself.
package struct PageContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The request as its listener got it. Its body has been read already.
    package let exchange: Exchange

    package init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        exchange = source.exchange
    }

    /// What a context is made of.
    package struct Source: RequestContextSource {
        package let logger: Logger
        let exchange: Exchange
    }
}
