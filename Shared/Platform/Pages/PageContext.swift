package import Hummingbird
package import Logging
package import Serving

/// A page handler's context besides the request itself.
package struct PageContext: RequestContext {
    /// Hummingbird's own data about a request.
    package var coreContext: CoreRequestContextStorage
    /// The request as its listener received it. Its body has already been read.
    package let exchange: Exchange

    /// Creates a context; Hummingbird calls this for each request.
    package init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        exchange = source.exchange
    }

    /// The source that Hummingbird creates a context from.
    package struct Source: RequestContextSource {
        /// The logger for libraries: it passes on warnings and errors without their text.
        package let logger: Logger
        let exchange: Exchange
    }
}
