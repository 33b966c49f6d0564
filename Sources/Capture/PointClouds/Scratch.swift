/// Memory for plain numbers that is kept from frame to frame: it grows, and is neither shrunk nor cleared.
final class Scratch<Element: BitwiseCopyable> {
    private var storage = UnsafeMutablePointer<Element>.allocate(capacity: 1)
    private var capacity = 1

    /// Room for `count` elements, whose values are undefined; what was there before may be lost.
    func reserve(_ count: Int) -> UnsafeMutablePointer<Element> {
        if count > capacity {
            storage.deallocate()
            storage = .allocate(capacity: count)
            capacity = count
        }
        return storage
    }

    deinit {
        storage.deallocate()
    }
}
