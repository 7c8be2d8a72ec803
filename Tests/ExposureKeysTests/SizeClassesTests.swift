import ExposureKeys
import Testing

@Suite struct SizeClassesTests {
    @Test("sizes grow by a quarter at most, and have room")
    func sizes() {
        let classes = SizeClasses(smallest: 140)
        #expect([0, 1, 140].map(classes.size) == [140, 140, 140])
        #expect([141, 176, 219].map(classes.size) == [175, 218, 272])
        for count in stride(from: 140, to: 2_000_000, by: 997) {
            let size = classes.size(for: count)
            #expect(size >= count && size <= count + count / 4)
            #expect(classes.size(for: size) == size)
        }
        #expect((0...6).map(SizeClasses(smallest: 1).size) == [1, 1, 2, 3, 4, 5, 6])
    }
}
