import DecoderTargets
import FoundationEssentials
import Glibc

/// The decoder that is searched: `VIGIL_FUZZ_TARGET` names it.
private let target: DecoderTarget = {
    let wanted = getenv("VIGIL_FUZZ_TARGET").map { String(cString: $0) }
    guard let target = (DecoderTarget.all + [.control]).first(where: { $0.name == wanted }) else {
        fatalError("VIGIL_FUZZ_TARGET must name a decoder, as the folders in Tests/Fuzz/Corpus do")
    }
    return target
}()

/// libFuzzer calls it with one input after another, and keeps the input with which this process ends.
@_cdecl("LLVMFuzzerTestOneInput")
package func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Data(UnsafeBufferPointer(start: start, count: count))
    switch target.judge(input) {
    case .value, .refused: return 0
    case .broken(let why): fatalError("\(target.name): \(why)")
    }
}
