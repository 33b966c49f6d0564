/// The topics that clients look at, set by a sink and asked by what makes the messages.
package actor TopicDemand {
    package struct Names: Sendable {
        /// Grows with each change.
        package var version = 0
        package var names: Set<String> = []
    }

    package private(set) var current = Names()

    package init() {}

    /// - Parameter names: All topics that are wanted from now on.
    package func set(_ names: Set<String>) {
        guard current.names != names else { return }
        current = Names(version: current.version &+ 1, names: names)
    }
}
