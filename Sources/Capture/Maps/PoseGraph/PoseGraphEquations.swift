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
        /// True if the cost came to rest, rather than the number of iterations to its end.
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
    /// - Returns: The covariance of (translation, rotation) of each node in its own frame; zero for nodes that are held. Nil where
    ///   the system is singular.
    package mutating func covariances(of wanted: [Int]) -> [Matrix6]? {
        equations.fill(graph, PoseGraphEquations.Errors(graph), isNear: false)
        guard equations.steps(damping: 0) != nil else { return nil }
        return wanted.map { equations.covariance(of: $0, graph.nodes[$0]) }
    }
}

/// The normal equations of a pose graph: how its cost changes where its nodes move.
///
/// A node moves by a translation and turns about its own place, both in the axes of the world: then an edge has the same
/// Jacobian for both of its nodes, but for an arm where the first one turns.
struct PoseGraphEquations {
    /// The errors of the measurements at some poses.
    struct Errors {
        /// The logarithm of each edge's error, and the same in standard deviations.
        fileprivate(set) var edges: [Vector6] = []
        fileprivate(set) var whitened: [Vector6] = []
        /// Over all measurements, robust kernels counted.
        fileprivate(set) var cost = 0.0

        init(_ graph: PoseGraph) {
            edges.reserveCapacity(graph.edges.count)
            whitened.reserveCapacity(graph.edges.count)
            for index in graph.edges.indices {
                let (from, to) = (graph.nodes[graph.edges[index].from], graph.nodes[graph.edges[index].to])
                let error = PoseGraph.error(graph.edges[index].measured, from, to)
                let scaled = graph.edges[index].whitening.lowerTimes(error)
                edges.append(error)
                whitened.append(scaled)
                cost += PoseGraph.cost(scaled.dot(scaled), graph.edges[index].kernel)
            }
            for upright in graph.uprights { cost += graph.cost(upright) }
            for position in graph.positions { cost += graph.cost(position) }
        }
    }

    /// The nodes that may move, by unknown.
    let nodes: [Int]
    /// The unknown of each node, or -1 where the node is held.
    let unknowns: [Int]
    private let edgeLinks: [Int]
    private let positionLinks: [Int]
    private var system: BlockCholesky
    private var gradient: [Vector6]

    /// The first node of each piece is held.
    init(_ graph: PoseGraph) {
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
        gradient = [Vector6](repeating: .zero, count: nodes.count)
    }

    /// Fills the equations in at the poses as they are.
    ///
    /// - Parameter isNear: Counts how kernels bend, which holds near the optimum; else they are above the cost everywhere.
    mutating func fill(_ graph: PoseGraph, _ errors: Errors, isNear: Bool) {
        system.clear()
        for index in gradient.indices { gradient[index] = .zero }
        for index in graph.edges.indices { addEdge(index, graph, errors, isNear: isNear) }
        for upright in graph.uprights { add(upright, graph) }
        for index in graph.positions.indices { addPosition(index, graph, isNear: isNear) }
    }

    /// The steps that lead to the least cost, by unknown, if it were what the equations say; nil where they are singular.
    ///
    /// - Parameter damping: The share by which the numbers of the diagonal are made larger.
    mutating func steps(damping: Double) -> [Vector6]? {
        guard system.factor(damping: damping) else { return nil }
        return system.solve(gradient).map { $0 * -1 }
    }

    /// The covariance of a node in its own axes, by the equations that were solved last; zero for a node that is held.
    func covariance(of node: Int, _ pose: Transform) -> Matrix6 {
        let unknown = unknowns[node]
        guard unknown >= 0 else { return .zero }
        let columns = (0..<6).map { axis in
            var right = [Vector6](repeating: .zero, count: nodes.count)
            if axis < 3 { right[unknown].translation[axis] = 1 } else { right[unknown].rotation[axis - 3] = 1 }
            return system.solve(right)[unknown]
        }
        let turn = Matrix3(pose.rotation)
        func part(_ range: Range<Int>, _ key: KeyPath<Vector6, Vector3>) -> Matrix3 {
            let c = range.map { columns[$0][keyPath: key] }
            return turn.transposed * Matrix3(columns: c[0], c[1], c[2]) * turn
        }
        return Matrix6(
            tt: part(0..<3, \.translation),
            tr: part(3..<6, \.translation),
            rt: part(0..<3, \.rotation),
            rr: part(3..<6, \.rotation)
        )
    }

    private mutating func addEdge(_ index: Int, _ graph: PoseGraph, _ errors: Errors, isNear: Bool) {
        let (from, to) = (graph.edges[index].from, graph.edges[index].to)
        let (first, second) = (graph.nodes[from], graph.nodes[to])
        let whitened = errors.whitened[index]
        let turned = Transform.inverseRightJacobian(errors.edges[index])
            .times(turn: Matrix3(second.rotation.inverse))
        let jacobian = graph.edges[index].whitening.lowerTimes(upper: turned).transposed
        add(
            unknowns[from],
            unknowns[to],
            edgeLinks[index],
            information: jacobian.timesTransposed,
            gradient: jacobian * whitened,
            arm: second.translation - first.translation,
            PoseGraph.bend(whitened.dot(whitened), graph.edges[index].kernel, isNear: isNear)
        )
    }

    private mutating func add(_ upright: PoseGraph.Upright, _ graph: PoseGraph) {
        let unknown = unknowns[upright.node]
        guard unknown >= 0 else { return }
        let rotation = graph.nodes[upright.node].rotation
        let jacobian =
            Matrix3(crossing: upright.up / upright.sigmaRadians) * Matrix3(rotation.inverse)
            * Matrix3(crossing: Vector3(0, 1, 0))
        let turned = jacobian.transposed
        system.add(Matrix6(tt: .zero, rr: turned * jacobian), toDiagonal: unknown)
        gradient[unknown].rotation += turned * graph.residual(upright)
    }

    private mutating func addPosition(_ index: Int, _ graph: PoseGraph, isNear: Bool) {
        let position = graph.positions[index]
        let (reference, node) = (graph.nodes[position.reference], graph.nodes[position.node])
        let error = graph.residual(position)
        let jacobian = Matrix3(diagonal: 1 / position.sigmaMetres) * Matrix3(reference.rotation.inverse)
        add(
            unknowns[position.reference],
            unknowns[position.node],
            positionLinks[index],
            information: Matrix6(tt: jacobian.transposed * jacobian, rr: .zero),
            gradient: Vector6(jacobian.transposed * error, .zero),
            arm: node.translation - reference.translation,
            PoseGraph.bend(dot(error, error), position.kernel, isNear: isNear)
        )
    }

    /// Adds an error of two nodes that depends on the second as seen from the first.
    ///
    /// - Parameters:
    ///   - information: JᵀJ, and `gradient` Jᵀe, by the second node.
    ///   - arm: From the first to the second.
    private mutating func add(
        _ first: Int,
        _ second: Int,
        _ link: Int,
        information whole: Matrix6,
        gradient slope: Vector6,
        arm: Vector3,
        _ bend: (weight: Double, along: Double)
    ) {
        let slope = slope * bend.weight
        var information = whole * bend.weight
        if bend.along != 0 { information = information - Matrix6(outer: slope) * bend.along }
        if second >= 0 {
            system.add(information, toDiagonal: second)
            gradient[second] = gradient[second] + slope
        }
        guard first >= 0 else { return }
        // [1 0; arm 1] times the information, then times the transposed.
        let turn = Matrix3(crossing: arm)
        let below = turn * information.tt + information.rt
        let corner = turn * information.tr + information.rr
        let right = information.tr - information.tt * turn
        system.add(
            Matrix6(tt: information.tt, tr: right, rt: right.transposed, rr: corner - below * turn),
            toDiagonal: first
        )
        gradient[first] =
            gradient[first] - Vector6(slope.translation, slope.rotation + cross(arm, slope.translation))
        guard link >= 0 else { return }
        system.add(Matrix6(tt: information.tt, tr: information.tr, rt: below, rr: corner) * -1, toLink: link)
    }
}
