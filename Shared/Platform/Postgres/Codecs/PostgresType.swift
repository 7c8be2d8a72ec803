/// A type by its OID in the server's catalogue (`pg_type.oid`), which is fixed for built-in types
/// (<https://www.postgresql.org/docs/current/datatype-oid.html>).
package struct PostgresType: RawRepresentable, Hashable, Sendable {
    /// The OID.
    package let rawValue: UInt32

    /// A type by its OID.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// `boolean`
    package static let bool = PostgresType(rawValue: 16)
    /// `bytea`
    package static let bytea = PostgresType(rawValue: 17)
    /// `name`, which the catalogues use
    package static let name = PostgresType(rawValue: 19)
    /// `bigint`
    package static let int8 = PostgresType(rawValue: 20)
    /// `smallint`
    package static let int2 = PostgresType(rawValue: 21)
    /// `integer`
    package static let int4 = PostgresType(rawValue: 23)
    /// `double precision`
    package static let float8 = PostgresType(rawValue: 701)
    /// `text`
    package static let text = PostgresType(rawValue: 25)
    /// `varchar`
    package static let varchar = PostgresType(rawValue: 1043)
    /// `timestamp with time zone`
    package static let timestamptz = PostgresType(rawValue: 1184)
    /// `uuid`
    package static let uuid = PostgresType(rawValue: 2950)
    /// `boolean[]`
    package static let boolArray = PostgresType(rawValue: 1000)
    /// `bytea[]`
    package static let byteaArray = PostgresType(rawValue: 1001)
    /// `name[]`
    package static let nameArray = PostgresType(rawValue: 1003)
    /// `smallint[]`
    package static let int2Array = PostgresType(rawValue: 1005)
    /// `integer[]`
    package static let int4Array = PostgresType(rawValue: 1007)
    /// `text[]`
    package static let textArray = PostgresType(rawValue: 1009)
    /// `varchar[]`
    package static let varcharArray = PostgresType(rawValue: 1015)
    /// `bigint[]`
    package static let int8Array = PostgresType(rawValue: 1016)
    /// `timestamp with time zone[]`
    package static let timestamptzArray = PostgresType(rawValue: 1185)
    /// `uuid[]`
    package static let uuidArray = PostgresType(rawValue: 2951)

    /// The type of an array's elements; nil if this is no array type known here.
    var element: PostgresType? {
        switch self {
        case .boolArray: .bool
        case .byteaArray: .bytea
        case .nameArray: .name
        case .int2Array: .int2
        case .int4Array: .int4
        case .textArray: .text
        case .varcharArray: .varchar
        case .int8Array: .int8
        case .timestamptzArray: .timestamptz
        case .uuidArray: .uuid
        default: nil
        }
    }
}
