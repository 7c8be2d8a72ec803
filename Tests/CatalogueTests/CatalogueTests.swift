import Catalogue
import HTTPContract
import Schema
import Testing

/// The catalogue contradicts itself nowhere.
struct CatalogueTests {
    private static let services = Catalogue.services

    @Test("names, ports, secrets and database roles are each one service's")
    func unique() {
        let ports = Self.services.flatMap(\.ports)
        #expect(Set(Self.services.map(\.name)).count == Self.services.count)
        #expect(Set(ports).count == ports.count)
        let secrets = Self.services.flatMap { $0.secrets.map(\.file) }
        #expect(Set(secrets).count == secrets.count)
        #expect(
            Self.services.compactMap { $0.database?.role.rawValue }.sorted()
                == DatabaseRole.allCases.map(\.rawValue).sorted())
    }

    @Test("all ports are among those that a suite reserves on its machine")
    func ports() {
        for service in Self.services {
            for port in service.ports {
                #expect((0..<Catalogue.Port.reserved).contains(port.number(first: 0)), "\(service.name) \(port.number)")
            }
        }
    }

    @Test("a service with a role is called like the role", arguments: services.filter { $0.role != nil })
    func roles(service: Catalogue.Service) {
        #expect(service.name == service.role?.rawValue)
    }

    @Test("a service starts after those that it calls", arguments: services)
    func order(service: Catalogue.Service) throws {
        let earlier = Self.services.prefix { $0 != service }
        for call in service.calls {
            #expect(earlier.contains(call.service), "\(service.name) calls \(call.service.name)")
            #expect(call.service.listener(call.listener) != nil, "\(call.service.name) \(call.listener.rawValue)")
        }
    }

    @Test("a service connects to the listeners that offer it an operation, and to no other", arguments: services)
    func calls(service: Catalogue.Service) {
        guard let role = service.role else { return }
        let open = Self.services.flatMap { callee in
            callee.listeners.filter { $0.callers.contains(role) }.map { "\(callee.name) \($0.name.rawValue)" }
        }
        let called = service.calls.filter { $0.service.listener($0.listener)?.security == .mutualTLS }
            .map { "\($0.service.name) \($0.listener.rawValue)" }
        #expect(open.sorted() == called.sorted())
    }

    @Test("a mutual-TLS listener names its callers by the operations it offers", arguments: services)
    func listeners(service: Catalogue.Service) {
        for listener in service.listeners where listener.security == .mutualTLS {
            #expect(!listener.callers.isEmpty, "\(listener.name.rawValue)")
        }
    }
}

extension Catalogue.Service {
    /// All it may listen on.
    fileprivate var ports: [Catalogue.Port] { listeners.map(\.port) + [admin] + (metrics.map { [$0] } ?? []) }
}
