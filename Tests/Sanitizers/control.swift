// Faults on purpose: what Tests/sanitize.sh has to find before it believes that there are no others. The argument says which.
import Glibc

nonisolated(unsafe) var shared = 0
/// Both threads are there before either begins, and until both have ended, which orders neither's work. They are two, because
/// who is late at one that is used again learns what the other has done since.
nonisolated(unsafe) var start = pthread_barrier_t()
nonisolated(unsafe) var end = pthread_barrier_t()
let count: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
    pthread_barrier_wait(&start)
    for _ in 0..<1000 { shared += 1 }
    pthread_barrier_wait(&end)
    return nil
}

/// In a frame of its own, so that no register keeps the address.
@inline(never) func lose() { malloc(1000)?.storeBytes(of: 1, as: UInt8.self) }

switch CommandLine.arguments.last {
case "address":
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 8)
    bytes.initialize(repeating: 1, count: 8)
    bytes.deallocate()
    print(bytes[Int(getpid()) & 7])
case "leak":
    for _ in 0..<10 { lose() }
default:
    pthread_barrier_init(&start, nil, 2)
    pthread_barrier_init(&end, nil, 2)
    var threads = [pthread_t(), pthread_t()]
    for index in threads.indices { pthread_create(&threads[index], nil, count, nil) }
    for thread in threads { pthread_join(thread, nil) }
    print(shared)
}
