/// Apple's two services: for published apps, and for development builds.
package enum APNsEnvironment: String, Sendable, CaseIterable {
    case production
    case sandbox
}
