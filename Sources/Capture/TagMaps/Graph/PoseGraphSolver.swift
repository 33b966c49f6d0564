package import Recording

/// Finds the poses that what was measured makes most likely.
///
/// Levenberg and Marquardt on the sparse normal equations; robust kernels by reweighting. The first node of each piece
/// stays where it is. The same graph gives the same bits.
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

    private var graph: PoseGraph
    /// By node: its unknown, or -1 where the node is held.
    private let unknowns: [Int]
    private let nodes: [Int]
    private let edgeLinks: [Int]
    private let positionLinks: [Int]
    private var system: BlockCholesky
    private var diagonal: [Matrix6]
    private var links: [Matrix6]
    private var gradient: [Vector6]

    package init(_ graph: PoseGraph) {
        self.graph = graph
        let pieces = graph.pieces
        var unknowns = [Int](repeating: -1, count: graph.nodes.count)
        var nodes: [Int] = []
        for node in graph.nodes.indices where pieces[node] != node {
            unknowns[node] = nodes.count
            nodes.append(node)
        }
        var pairs: [(Int, Int)] = []
        func link(_ a: Int, _ b: Int) -> Int {
            guard a >= 0, b >= 0, a != b else { return -1 }
            pairs.append((a, b))
            return pairs.count - 1
        }
        edgeLinks = graph.edges.map { link(unknowns[$0.from], unknowns[$0.to]) }
        positionLinks = graph.positions.map { link(unknowns[$0.reference], unknowns[$0.node]) }
        self.unknowns = unknowns
        self.nodes = nodes
        system = BlockCholesky(count: nodes.count, links: pairs)
        diagonal = [Matrix6](repeating: .zero, count: nodes.count)
        links = [Matrix6](repeating: .zero, count: pairs.count)
        gradient = [Vector6](repeating: .zero, count: nodes.count)
    }

    /// The poses found.
    package var poses: [Transform] { graph.nodes }
    package var solved: PoseGraph { graph }

    package mutating func solve() -> Result {
        var result = Result(costBefore: graph.cost)
        var cost = result.costBefore
        result.costAfter = cost
        var damping = 1e-6
        while result.iterations < maximumIterations, !nodes.isEmpty {
            linearise()
            var step: (cost: Double, poses: [Transform])?
            // Sixteen powers of ten are all that a double has.
            for _ in 0..<16 {
                if let tried = tryStep(damping), tried.cost < cost {
                    step = tried
                    damping = max(damping / 10, 1e-12)
                    break
                }
                damping *= 10
            }
            guard let step else {
                result.hasConverged = true
                break
            }
            result.iterations += 1
            graph.nodes = step.poses
            let fall = cost - step.cost
            cost = step.cost
            if fall <= relativeTolerance * cost {
                result.hasConverged = true
                break
            }
        }
        result.costAfter = cost
        return result
    }

    private mutating func tryStep(_ damping: Double) -> (cost: Double, poses: [Transform])? {
        var damped = diagonal
        for index in damped.indices {
            let d = damped[index].diagonal
            damped[index] = damped[index] + Matrix6(diagonal: d * damping + Self.tiny)
        }
        guard system.factor(diagonal: damped, links: links) else { return nil }
        let steps = system.solve(gradient)
        var moved = graph
        for (index, node) in nodes.enumerated() { moved.nodes[node] = moved.nodes[node].moved(by: steps[index] * -1) }
        let cost = moved.cost
        return cost.isFinite ? (cost, moved.nodes) : nil
    }

    /// What keeps a node that nothing holds from making the system singular.
    private static let tiny = Vector6(Vector3(repeating: 1e-12), Vector3(repeating: 1e-12))

    /// Fills in the normal equations at the poses as they are.
    private mutating func linearise() {
        for index in diagonal.indices { (diagonal[index], gradient[index]) = (.zero, .zero) }
        for index in links.indices { links[index] = .zero }
        for (index, edge) in graph.edges.enumerated() { add(edge, edgeLinks[index]) }
        for upright in graph.uprights { add(upright) }
        for (index, position) in graph.positions.enumerated() { add(position, positionLinks[index]) }
    }

    private mutating func add(_ edge: PoseGraph.Edge, _ link: Int) {
        let between = graph.nodes[edge.from].inverse * graph.nodes[edge.to]
        let error = (edge.measured.inverse * between).logarithm
        let whitened = edge.whitening * error
        let weight = PoseGraph.weight(whitened.dot(whitened), edge.kernel)
        let byTo = edge.whitening.lowerTimes(upper: Transform.inverseRightJacobian(error))
        let byFrom = byTo.times(upper: between.inverse.adjoint * -1)
        add(unknowns[edge.from], unknowns[edge.to], link, byFrom, byTo, whitened, weight)
    }

    private mutating func add(_ upright: PoseGraph.Upright) {
        let unknown = unknowns[upright.node]
        guard unknown >= 0 else { return }
        let up = graph.nodes[upright.node].rotation.inverse.rotating(Vector3(0, 1, 0))
        let error = cross(upright.up, up) / upright.sigmaRadians
        let jacobian = Matrix3(crossing: upright.up) * Matrix3(crossing: up) * (1 / upright.sigmaRadians)
        let turned = jacobian.transposed
        diagonal[unknown].rr = diagonal[unknown].rr + turned * jacobian
        gradient[unknown].rotation += turned * error
    }

    private mutating func add(_ position: PoseGraph.Position, _ link: Int) {
        let (reference, node) = (graph.nodes[position.reference], graph.nodes[position.node])
        let seen = reference.inverse * node.translation
        let scale = Matrix3(diagonal: 1 / position.sigmaMetres)
        let error = scale * (seen - position.place)
        let weight = PoseGraph.weight(dot(error, error), position.kernel)
        let turn = Matrix3(reference.rotation.inverse * node.rotation)
        let byNode = Matrix6(tt: scale * turn, rr: .zero)
        let byReference = Matrix6(tt: -scale, tr: scale * Matrix3(crossing: seen), rr: .zero)
        add(
            unknowns[position.reference],
            unknowns[position.node],
            link,
            byReference,
            byNode,
            Vector6(error, .zero),
            weight
        )
    }

    private mutating func add(
        _ first: Int,
        _ second: Int,
        _ link: Int,
        _ byFirst: Matrix6,
        _ bySecond: Matrix6,
        _ error: Vector6,
        _ weight: Double
    ) {
        let scale = weight.squareRoot()
        let (firstTurned, secondTurned) = (byFirst.transposed * scale, bySecond.transposed * scale)
        let error = error * scale
        if first >= 0 {
            diagonal[first] = diagonal[first] + firstTurned.timesTransposed
            gradient[first] = gradient[first] + firstTurned * error
        }
        if second >= 0 {
            diagonal[second] = diagonal[second] + secondTurned.timesTransposed
            gradient[second] = gradient[second] + secondTurned * error
        }
        if link >= 0 { links[link] = links[link] + firstTurned * secondTurned.transposed }
    }

    /// How sure the poses of nodes are, against the held node of their piece.
    ///
    /// - Returns: By node, the covariance of (translation, rotation) in its own frame; zero for nodes that are held. Nil where
    ///   the system is singular.
    package mutating func covariances(of wanted: [Int]) -> [Matrix6]? {
        linearise()
        guard system.factor(diagonal: diagonal, links: links) else { return nil }
        return wanted.map { node in
            let unknown = unknowns[node]
            guard unknown >= 0 else { return .zero }
            let columns = (0..<6).map { axis in
                var right = [Vector6](repeating: .zero, count: nodes.count)
                if axis < 3 { right[unknown].translation[axis] = 1 } else { right[unknown].rotation[axis - 3] = 1 }
                return system.solve(right)[unknown]
            }
            func part(_ range: Range<Int>, _ key: KeyPath<Vector6, Vector3>) -> Matrix3 {
                let c = range.map { columns[$0][keyPath: key] }
                return Matrix3(columns: c[0], c[1], c[2])
            }
            return Matrix6(
                tt: part(0..<3, \.translation),
                tr: part(3..<6, \.translation),
                rt: part(0..<3, \.rotation),
                rr: part(3..<6, \.rotation)
            )
        }
    }
}
