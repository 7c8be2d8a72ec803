import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// Another channel, whose connections may be dropped without having been handled.
///
/// When a server's task is cancelled, connections that were accepted but not yet handled are dropped. SwiftNIO ends the
/// process if it loses an open connection in that way, so such a connection is closed first and kept until it is.
struct AcceptedChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base

    final class Value: ServerChildChannelValue {
        let channel: any Channel
        private let value: Base.Value
        private let isTaken = Atomic(false)

        init(_ value: Base.Value, channel: any Channel) {
            self.value = value
            self.channel = channel
        }

        /// Hands the connection over to its handler.
        func take() -> Base.Value {
            isTaken.store(true, ordering: .relaxed)
            return value
        }

        deinit {
            guard !isTaken.load(ordering: .relaxed) else { return }
            let value = value
            channel.closeFuture.whenComplete { _ in withExtendedLifetime(value) {} }
            channel.close(promise: nil)
        }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        base.setup(channel: channel, logger: logger).map { Value($0, channel: channel) }
    }

    func handle(value: Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) {
            await base.handle(value: value.take(), logger: logger)
        }
    }
}
