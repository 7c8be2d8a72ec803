package import HTTPContract
package import Running
package import ServiceLifecycle

/// A service with a port of its own: a ``Listener``'s, or one that is served in another way.
package protocol PortOwner: Service {
    /// Names the port in metrics, messages and documents.
    var listener: String { get }
    /// The port, as soon as it is open.
    var bound: BoundPort { get }
    /// What is offered there, for the document about it.
    var operations: [EndpointDescription] { get }
    /// Whether callers have certificates that name their roles.
    var checksCallers: Bool { get }
}
