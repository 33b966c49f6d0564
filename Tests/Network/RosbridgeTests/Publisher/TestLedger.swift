import Rosbridge

extension AckTracker {
    /// A tracker of the publisher's usual sizes, but for what a test is about.
    static func of(
        isConfirming: Bool = true,
        windowBytes: Int = 4_000_000,
        maximumBarriers: Int = 2,
        barrierIntervalNanoseconds: Int64 = 2_000_000_000,
        timeoutNanoseconds: Int64 = 30_000_000_000,
        resendNanoseconds: Int64 = 0,
        resendBytes: Int = 32 << 20
    ) -> AckTracker {
        AckTracker(
            isConfirming: isConfirming,
            windowBytes: windowBytes,
            maximumBarriers: maximumBarriers,
            barrierIntervalNanoseconds: barrierIntervalNanoseconds,
            timeoutNanoseconds: timeoutNanoseconds,
            resendNanoseconds: resendNanoseconds,
            resendBytes: resendBytes
        )
    }
}
