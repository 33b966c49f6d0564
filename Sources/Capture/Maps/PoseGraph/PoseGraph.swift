package import Recording

/// Poses, and what was measured between them.
///
/// All measurements have Gaussian noise; those with a `kernel` may also be plainly wrong.
package struct PoseGraph: Sendable {
    /// The kind of measurement of an edge: figures are reported by kind.
    package enum Kind: Int, Sendable, CaseIterable {
        case odometry
        case tag
        case waypoint
        case gravity
        case position
        case loop
    }

    /// A pose seen from another: `to` in the frame of `from`.
    package struct Edge: Sendable {
        package var from: Int
        package var to: Int
        package var measured: Transform
        /// W with WᵀW the inverse of the covariance of (translation, rotation) in the frame of `to`.
        package var whitening: Matrix6
        package var kind: Kind
        /// The width of Cauchy's kernel, in standard deviations.
        package var kernel: Double?

        /// Nil for a covariance that is not positive definite.
        package init?(
            _ kind: Kind,
            from: Int,
            to: Int,
            measured: Transform,
            covariance: Matrix6,
            kernel: Double? = nil
        ) {
            guard let factor = covariance.cholesky else { return nil }
            self.from = from
            self.to = to
            self.measured = measured
            whitening = factor.lowerInverse
            self.kind = kind
            self.kernel = kernel
        }
    }

    /// Where up is, seen from a pose: a unit vector in its frame.
    package struct Upright: Sendable {
        package var node: Int
        package var up: Vector3
        package var sigmaRadians: Double
    }

    /// Where a pose is, in the frame of another node: a location fix.
    package struct Position: Sendable {
        package var node: Int
        package var reference: Int
        package var place: Vector3
        package var sigmaMetres: Vector3
        package var kernel: Double?

        package init(node: Int, reference: Int, place: Vector3, sigmaMetres: Vector3, kernel: Double? = nil) {
            self.node = node
            self.reference = reference
            self.place = place
            self.sigmaMetres = sigmaMetres
            self.kernel = kernel
        }
    }

    /// World from node.
    package var nodes: [Transform] = []
    package var edges: [Edge] = []
    package var uprights: [Upright] = []
    package var positions: [Position] = []

    package init() {}

    /// Adds a node and gives its index.
    package mutating func add(_ pose: Transform) -> Int {
        nodes.append(pose)
        return nodes.count - 1
    }

    /// Which nodes hang together: by node, the first node of its piece.
    package var pieces: [Int] {
        let links = edges.map { ($0.from, $0.to) } + positions.map { ($0.node, $0.reference) }
        return DisjointSets.roots(count: nodes.count, joining: links)
    }

    /// Half of the squared distance in standard deviations, as Cauchy's kernel lets it count: k^2/2 log(1 + s/k^2).
    static func cost(_ squared: Double, _ kernel: Double?) -> Double {
        guard let kernel else { return squared / 2 }
        return kernel * kernel / 2 * naturalLogarithm(1 + squared / (kernel * kernel))
    }

    /// How the cost changes with an error e = Jx: its gradient is `weight` g with g = Jᵀe, and its second derivative
    /// `weight` (JᵀJ - `weight` `along` g gᵀ).
    ///
    /// - Parameter isNear: Counts how the kernel bends (Triggs and others 1999, "Bundle Adjustment", 4.3), as far as the
    ///   matrix stays positive; else it is above the cost everywhere.
    static func bend(_ squared: Double, _ kernel: Double?, isNear: Bool) -> (weight: Double, along: Double) {
        guard let kernel else { return (1, 0) }
        let share = squared / (kernel * kernel)
        let weight = 1 / (1 + share)
        guard isNear else { return (weight, 0) }
        // Along the error the cost bends by weight (1 - share) / (1 + share), which beyond the kernel's width is negative.
        return (weight, share < 1 ? 2 / (kernel * kernel) : 1 / (squared * weight))
    }

    /// The error of an edge in standard deviations.
    package func residual(_ edge: Edge) -> Vector6 {
        edge.whitening * Self.error(edge.measured, nodes[edge.from], nodes[edge.to])
    }

    /// The logarithm of what is between a pose seen from another and its measurement.
    static func error(_ measured: Transform, _ from: Transform, _ to: Transform) -> Vector6 {
        let (first, back) = (from.rotation.inverse, measured.rotation.inverse)
        let seen = first.rotating(to.translation - from.translation)
        return Transform(
            rotation: back * (first * to.rotation),
            translation: back.rotating(seen - measured.translation)
        ).logarithm
    }

    func residual(_ upright: Upright) -> Vector3 {
        let up = nodes[upright.node].rotation.inverse.rotating(Vector3(0, 1, 0))
        return cross(upright.up, up) / upright.sigmaRadians
    }

    func residual(_ position: Position) -> Vector3 {
        let seen = nodes[position.reference].inverse * nodes[position.node].translation
        return (seen - position.place) / position.sigmaMetres
    }

    /// The cost by kind, robust kernels counted.
    package var costs: [Kind: Double] {
        var sums = [Double](repeating: 0, count: Kind.allCases.count)
        for edge in edges {
            let error = residual(edge)
            sums[edge.kind.rawValue] += Self.cost(error.dot(error), edge.kernel)
        }
        sums[Kind.gravity.rawValue] = uprights.reduce(0) { $0 + cost($1) }
        sums[Kind.position.rawValue] = positions.reduce(0) { $0 + cost($1) }
        return Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0, sums[$0.rawValue]) }).filter { $0.value > 0 }
    }

    /// Over all kinds.
    package var cost: Double { PoseGraphEquations.Errors(self).cost }

    func cost(_ upright: Upright) -> Double {
        let error = residual(upright)
        return dot(error, error) / 2
    }

    func cost(_ position: Position) -> Double {
        let error = residual(position)
        return Self.cost(dot(error, error), position.kernel)
    }
}

/// A pose graph as text for other solvers: `VERTEX_SE3:QUAT`, `EDGE_SE3:QUAT` and `FIX` of g2o.
///
/// Gravity, positions and robust kernels have no line there. g2o's errors of rotation are the vector part of a quaternion,
/// half of a rotation vector: its information is four times as large.
extension PoseGraph {
    package var g2oText: String {
        func pose(_ transform: Transform) -> String {
            let (t, q) = (transform.translation, transform.rotation)
            return "\(t.x) \(t.y) \(t.z) \(q.x) \(q.y) \(q.z) \(q.w)"
        }
        var lines = nodes.enumerated().map { "VERTEX_SE3:QUAT \($0.offset) \(pose($0.element))" }
        let pieces = pieces
        lines += nodes.indices.filter { pieces[$0] == $0 }.map { "FIX \($0)" }
        for edge in edges {
            var information = edge.whitening.transposed * edge.whitening
            (information.tr, information.rt) = (information.tr * 2, information.rt * 2)
            information.rr = information.rr * 4
            let upper = information.rows.enumerated().flatMap { row in row.element[row.offset...] }
            lines.append(
                "EDGE_SE3:QUAT \(edge.from) \(edge.to) \(pose(edge.measured)) "
                    + upper.map { "\($0)" }.joined(separator: " ")
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
