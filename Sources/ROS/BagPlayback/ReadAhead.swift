/// Hands values from a task that makes them to one that takes them, with a bounded number on the way.
actor ReadAhead<Element: Sendable> {
    private var waiting: [Element] = []
    private let limit: Int
    private var end: Result<Void, any Error>?
    private var isClosed = false
    private var taker: CheckedContinuation<Void, Never>?
    private var maker: CheckedContinuation<Void, Never>?

    /// - Parameter limit: how many values may wait to be taken.
    init(limit: Int) { self.limit = limit }

    /// Adds a value, and waits while too many are there.
    ///
    /// - Returns: whether more are wanted.
    func put(_ element: Element) async -> Bool {
        waiting.append(element)
        wakeTaker()
        while !isClosed, waiting.count >= limit { await withCheckedContinuation { maker = $0 } }
        return !isClosed
    }

    /// Says that there is no more, or why.
    func finish(_ result: Result<Void, any Error>) {
        end = result
        wakeTaker()
    }

    /// The next value; nil at the end.
    func next() async throws -> Element? {
        while waiting.isEmpty {
            if let end {
                try end.get()
                return nil
            }
            await withCheckedContinuation { taker = $0 }
        }
        defer {
            maker?.resume()
            maker = nil
        }
        return waiting.removeFirst()
    }

    /// Says that nothing more will be taken.
    func close() {
        isClosed = true
        waiting = []
        maker?.resume()
        maker = nil
    }

    private func wakeTaker() {
        taker?.resume()
        taker = nil
    }
}
