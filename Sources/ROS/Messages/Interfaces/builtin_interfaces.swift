/// A point in time, in seconds and nanoseconds since 1970.
package struct Time: Message, Hashable {
    package static var typeName: String { "builtin_interfaces/msg/Time" }
    package static var jsonAliases: [JSONAlias] { [JSONAlias("sec", "secs"), JSONAlias("nanosec", "nsecs")] }

    package var sec: Int32 = 0
    package var nanosec: UInt32 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("sec", &sec)
        try visitor.field("nanosec", &nanosec)
    }

    package init(sec: Int32, nanosec: UInt32) {
        self.sec = sec
        self.nanosec = nanosec
    }

    /// The nanoseconds are never negative, so that times before 1970 have the second below; what 32 bits of seconds cannot
    /// hold becomes the nearest time that they can.
    package init(nanosecondsSinceEpoch nanoseconds: Int64) {
        (sec, nanosec) = split(nanoseconds)
    }

    package var nanosecondsSinceEpoch: Int64 { Int64(sec) * 1_000_000_000 + Int64(nanosec) }
}

/// A length of time; `Duration` is the standard library's.
package struct DurationMessage: Message, Hashable {
    package static var typeName: String { "builtin_interfaces/msg/Duration" }
    package static var jsonAliases: [JSONAlias] { Time.jsonAliases }

    package var sec: Int32 = 0
    package var nanosec: UInt32 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("sec", &sec)
        try visitor.field("nanosec", &nanosec)
    }
}

/// Whole seconds rounded down, and what is left.
private func split(_ nanoseconds: Int64) -> (sec: Int32, nanosec: UInt32) {
    var (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    if rest < 0 {
        seconds -= 1
        rest += 1_000_000_000
    }
    if seconds > Int64(Int32.max) { return (.max, 999_999_999) }
    if seconds < Int64(Int32.min) { return (.min, 0) }
    return (Int32(seconds), UInt32(rest))
}
