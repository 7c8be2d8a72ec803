package import Running

extension Settings {
    /// Where a service publishes: a bucket if `s3.bucket` is set, else the folder `directory`.
    /// - Throws: `ConfigurationProblem`, also if both are set.
    package func treeStore() throws -> any TreeStore {
        guard optionalString("s3.bucket") != nil else { return DirectoryStore(root: try directory("directory")) }
        guard optionalString("directory") == nil else {
            throw wrong(
                "directory",
                "must not be set together with s3.bucket: the tree is published either to a directory or to a bucket")
        }
        // The store compares the time of a request with its own clock, so a rehearsal's offset doesn't apply.
        return try S3Bucket(self, clock: .system)
    }
}
