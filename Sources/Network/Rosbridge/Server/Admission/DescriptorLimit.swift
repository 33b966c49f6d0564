import Glibc

/// The descriptors of this process, of which each connection takes one.
///
/// Without one, no connection is accepted any more, and so none makes room for another.
enum DescriptorLimit {
    /// What files and databases may take that are opened later.
    private static let reserved = 24

    /// The process's limit, after it was asked to be enough for `count` connections more, and for how many it is.
    static func raised(for count: Int) -> (limit: Int, connections: Int) {
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        let taken = openCount + reserved
        var limit = rlimit()
        guard getrlimit(kind, &limit) == 0 else { return (count + taken, count) }
        var current = Int(clamping: limit.rlim_cur)
        if current < count + taken {
            limit.rlim_cur = min(rlim_t(count + taken), limit.rlim_max)
            if setrlimit(kind, &limit) == 0 { current = Int(clamping: limit.rlim_cur) }
        }
        return (current, current - taken)
    }

    /// How many are open; about as many as are usual where that is not to be known.
    private static var openCount: Int {
        guard let folder = opendir("/proc/self/fd") else { return 16 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }
}

extension ServerLimits {
    /// These limits, lowered to so many connections in all, of which clients get most; but not to none.
    package func within(connections count: Int) -> ServerLimits {
        var limits = self
        let room = max(8, count)
        limits.strangers = min(strangers, max(4, room / 4, room - clients))
        limits.clients = min(clients, max(4, room - limits.strangers))
        return limits
    }
}
