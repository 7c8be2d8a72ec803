/// Constants of the ZIP format that writer and reader share:
/// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
enum Zip {
    static let localHeaderSignature: UInt32 = 0x0403_4b50
    static let centralHeaderSignature: UInt32 = 0x0201_4b50
    static let endSignature: UInt32 = 0x0605_4b50
    static let storedMethod: UInt16 = 0
    static let deflatedMethod: UInt16 = 8
}
