package import Hummingbird
package import Logging
package import Serving

/// What a page's handler knows of a request beside the request itself.
package struct PageContext: RequestContext {
    /// What Hummingbird keeps of a request.
    package var coreContext: CoreRequestContextStorage
    /// The request as its listener got it. Its body has been read already.
    package let exchange: Exchange

    /// For Hummingbird, which makes a context for each request.
    package init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        exchange = source.exchange
    }

    /// What a context is made of.
    package struct Source: RequestContextSource {
        /// A logger of libraries: warnings and errors, without their words.
        package let logger: Logger
        let exchange: Exchange
    }
}
