/// Which of Apple's two services knows a token: that of published apps, or that of development builds.
package enum APNsEnvironment: String, Sendable, CaseIterable {
    case production
    case sandbox
}
