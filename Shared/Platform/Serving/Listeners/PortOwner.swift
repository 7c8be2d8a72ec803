package import HTTPContract
package import Running
package import ServiceLifecycle

/// A service with a port of its own: a ``Listener``'s, or one of another kind.
package protocol PortOwner: Service {
    /// The port's name in metrics, messages and documents.
    var listener: String { get }
    /// The port, once it is open.
    var bound: BoundPort { get }
    /// The operations at this port, for its document.
    var operations: [EndpointDescription] { get }
    /// Whether callers have certificates that name their roles.
    var checksCallers: Bool { get }
}
