import Postgres

extension Migration {
    /// The steps of the schema `health_portal`.
    static let healthPortal: [Migration] = [
        Migration(
            "sessions",
            #"""
            CREATE SCHEMA health_portal;
            GRANT USAGE ON SCHEMA health_portal TO vigil_health_portal;
            """#)
    ]
}
