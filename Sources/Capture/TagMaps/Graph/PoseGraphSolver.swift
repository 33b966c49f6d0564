package import Recording

/// Finds the poses that what was measured makes most likely.
///
/// Levenberg and Marquardt on the sparse normal equations; robust kernels by reweighting, and by their second derivatives
/// where the optimum is near. The first node of each piece stays where it is. The same graph gives the same bits.
package struct PoseGraphSolver {
    package struct Result: Sendable {
        package var iterations = 0
        package var costBefore = 0.0
        package var costAfter = 0.0
        /// Whether the cost came to rest, rather than the number of iterations to its end.
        package var hasConverged = false
    }

    package var maximumIterations = 1000
    /// The solver stops when the cost falls by less than this share.
    package var relativeTolerance = 1e-10
    /// The optimum is near when the cost falls by less than this share.
    private static let nearShare = 1e-2
    private static let firstDamping = 1e-10
    private static let leastDamping = 1e-15

    private var graph: PoseGraph
    private var equations: PoseGraphEquations

    package init(_ graph: PoseGraph) {
        self.graph = graph
        equations = PoseGraphEquations(graph)
    }

    /// The poses found.
    package var poses: [Transform] { graph.nodes }
    package var solved: PoseGraph { graph }

    package mutating func solve() -> Result {
        var errors = PoseGraphEquations.Errors(graph)
        var result = Result(costBefore: errors.cost, costAfter: errors.cost)
        var damping = Self.firstDamping
        var isNear = false
        while result.iterations < maximumIterations, !equations.nodes.isEmpty {
            equations.fill(graph, errors, isNear: isNear)
            guard let next = step(below: errors.cost, &damping) else {
                result.hasConverged = true
                break
            }
            result.iterations += 1
            let fall = errors.cost - next.cost
            errors = next
            if fall <= relativeTolerance * errors.cost {
                result.hasConverged = true
                break
            }
            isNear = fall <= Self.nearShare * errors.cost
        }
        result.costAfter = errors.cost
        return result
    }

    /// Moves the nodes to where the cost is less, with as much damping as that takes; nil where no step leads down.
    private mutating func step(below cost: Double, _ damping: inout Double) -> PoseGraphEquations.Errors? {
        let before = graph.nodes
        // Sixteen powers of ten are all that a double has.
        for _ in 0..<16 {
            if let steps = equations.steps(damping: damping) {
                for (step, node) in zip(steps, equations.nodes) {
                    graph.nodes[node] = before[node].moved(inWorldBy: step)
                }
                let errors = PoseGraphEquations.Errors(graph)
                if errors.cost < cost {
                    damping = max(damping / 10, Self.leastDamping)
                    return errors
                }
            }
            damping *= 10
        }
        graph.nodes = before
        return nil
    }

    /// How sure the poses of nodes are, against the held node of their piece.
    ///
    /// - Returns: By node, the covariance of (translation, rotation) in its own frame; zero for nodes that are held. Nil where
    ///   the system is singular.
    package mutating func covariances(of wanted: [Int]) -> [Matrix6]? {
        equations.fill(graph, PoseGraphEquations.Errors(graph), isNear: false)
        guard equations.steps(damping: 0) != nil else { return nil }
        return wanted.map { equations.covariance(of: $0, graph.nodes[$0]) }
    }
}
