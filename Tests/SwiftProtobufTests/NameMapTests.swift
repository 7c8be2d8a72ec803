import Testing

@testable import SwiftProtobuf

@Suite("Names in generated code")
struct NameMapTests {
    @Test("names follow each other, skip numbers, and get a form for JSON")
    func forms() {
        let map = _NameMap(bytecode: "\0\u{1}version\0\u{2}`\u{1}requestPadding\0\u{3}key_data\0\u{c}\u{3}\u{1}")
        #expect(map.number(named: "version") == 1)
        #expect(map.number(named: "requestPadding") == 97)
        #expect(map.number(named: "key_data") == 98)
        #expect(map.number(named: "keyData") == 98)
        #expect(map.names(of: 98)?.json == "keyData" && map.names(of: 98)?.proto == "key_data")
        #expect(map.number(named: "other") == nil && map.names(of: 3) == nil)
    }

    @Test("an enumeration's first value may be zero")
    func zero() {
        let map = _NameMap(bytecode: "\0\u{2}\0UNKNOWN\0\u{1}CONFIRMED_TEST\0")
        #expect(map.number(named: "UNKNOWN") == 0 && map.names(of: 1)?.proto == "CONFIRMED_TEST")
    }

    @Test("underscores before digits go as well")
    func digits() {
        #expect(_NameMap(bytecode: "\0\u{3}gt_63_le_73_dbm\0").names(of: 1)?.json == "gt63Le73Dbm")
    }
}
