import Postgres
import Testing

@Suite("SQL as a type")
struct SQLTests {
    @Test("a value becomes a parameter and never text")
    func values() {
        let text = "'; DROP TABLE keys; --"
        let statement: SQL = "SELECT * FROM t WHERE a = \(text) AND b = \(7) AND c = \(nil as Bool?)"
        #expect(statement.description == "SELECT * FROM t WHERE a = $1 AND b = $2 AND c = $3")
    }

    @Test("parameters of composed statements are renumbered, and text that looks like one isn't")
    func composition() {
        let condition: SQL = "a = \(1) AND b <> '$1' AND c = \(2)"
        let many = (0..<12).reduce("SELECT" as SQL) { sql, number in "\(sql) \(number)," }
        let outer: SQL = "DELETE FROM t WHERE \(condition) OR d = \(3)"
        let twice: SQL = "\(condition) OR \(condition)"
        #expect(outer.description == "DELETE FROM t WHERE a = $1 AND b <> '$1' AND c = $2 OR d = $3")
        #expect(twice.description == "a = $1 AND b <> '$1' AND c = $2 OR a = $3 AND b <> '$1' AND c = $4")
        #expect(many.description == "SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,")
        #expect(("x = \(0), \(many)" as SQL).description.hasSuffix("$10, $11, $12, $13,"))
    }

    @Test("neither printing nor dumping a statement shows its values")
    func redaction() {
        let statement: SQL = "SELECT \("planted-secret")"
        var dumped = ""
        dump(statement, to: &dumped)
        for shown in ["\(statement)", String(reflecting: statement), dumped] {
            #expect(!shown.contains("planted"))
            #expect(!shown.contains("112"))
        }
    }

    @Test("an integer can stand in the text, where a sign doesn't join with what precedes it")
    func literals() {
        let statement: SQL = "SELECT 1 -\(literal: Int32.min) + \(literal: Int64.max)"
        #expect(statement.description == "SELECT 1 -(-2147483648) + (9223372036854775807)")
    }

    @Test("an identifier is quoted")
    func identifiers() {
        #expect(("SELECT \(identifier: Identifier("order"))" as SQL).description == "SELECT \"order\"")
    }

    @Test(
        "text that isn't a plain name is no identifier",
        arguments: ["", "1a", "A", "a b", "a\"", "a;", "ä", "a-b", String(repeating: "a", count: 64)])
    func badIdentifiers(name: String) {
        #expect(Identifier(validating: name) == nil)
    }

    @Test(
        "names in the usual form are identifiers", arguments: ["a", "_1", "test_42", String(repeating: "a", count: 63)])
    func goodIdentifiers(name: String) {
        #expect(Identifier(validating: name)?.quoted == "\"\(name)\"")
    }

    @Test("a script quotes interpolated values")
    func script() {
        let script: Script = "ALTER ROLE \(identifier: Identifier("vigil")) PASSWORD \(literal: "it's") ;"
        #expect(script.text == #"ALTER ROLE "vigil" PASSWORD 'it''s' ;"#)
        #expect(("SELECT \(literal: #"back\slash's"#)" as Script).text == #"SELECT  E'back\\slash''s'"#)
        #expect(!"\(script)".contains("it"))
        #expect((Script("SELECT 1;") + Script(#"SELECT 2;"#)).text == "SELECT 1;\nSELECT 2;")
    }
}
