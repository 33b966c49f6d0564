/// How far a piece of work is.
package struct WorkProgress: Hashable, Sendable {
    /// The unit in which work is counted.
    package enum Unit: String, Sendable {
        /// Seconds of the recording, not of the wall clock.
        case seconds
        case messages, frames, images, files, steps
    }

    /// The current stage, for commands that do several things in turn: one word, such as `checking`.
    package var stage: String
    package var done: Double
    /// Nil where it is not known.
    package var total: Double?
    package var unit: Unit

    package init(_ stage: String, _ done: Double, of total: Double?, _ unit: Unit) {
        self.stage = stage
        self.done = done
        self.total = total
        self.unit = unit
    }

    package init(_ stage: String, _ done: Int, of total: Int?, _ unit: Unit) {
        self.init(stage, Double(done), of: total.map(Double.init), unit)
    }

    /// The same work under the name of another stage.
    package func renamed(_ stage: String) -> WorkProgress {
        var copy = self
        copy.stage = stage
        return copy
    }
}

/// Is told how far a piece of work is.
///
/// It neither waits nor throws, so that any code may call it, of any task; once for each batch is often enough. What it
/// is told of a stage may only grow.
package typealias ProgressHandler = @Sendable (WorkProgress) -> Void
