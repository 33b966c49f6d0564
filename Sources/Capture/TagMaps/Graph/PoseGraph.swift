package import Recording

/// Poses, and what was measured between them.
///
/// All measurements have Gaussian noise; those with a `kernel` may also be plainly wrong.
package struct PoseGraph: Sendable {
    /// What an edge was measured by: figures are said by kind.
    package enum Kind: Int, Sendable, CaseIterable {
        case odometry
        case tag
        case waypoint
        case gravity
        case position
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
        var parents = Array(nodes.indices)
        func root(_ node: Int) -> Int {
            var node = node
            while parents[node] != node {
                parents[node] = parents[parents[node]]
                node = parents[node]
            }
            return node
        }
        func join(_ a: Int, _ b: Int) {
            let (first, second) = (root(a), root(b))
            parents[max(first, second)] = min(first, second)
        }
        for edge in edges { join(edge.from, edge.to) }
        for position in positions { join(position.node, position.reference) }
        return nodes.indices.map(root)
    }

    /// Half of the squared distance in standard deviations, as Cauchy's kernel lets it count: k^2/2 log(1 + s/k^2).
    static func cost(_ squared: Double, _ kernel: Double?) -> Double {
        guard let kernel else { return squared / 2 }
        return kernel * kernel / 2 * naturalLogarithm(1 + squared / (kernel * kernel))
    }

    /// By how much an edge counts less at this distance.
    static func weight(_ squared: Double, _ kernel: Double?) -> Double {
        guard let kernel else { return 1 }
        return 1 / (1 + squared / (kernel * kernel))
    }

    /// What an edge is off by, in standard deviations.
    package func residual(_ edge: Edge) -> Vector6 {
        edge.whitening * (edge.measured.inverse * (nodes[edge.from].inverse * nodes[edge.to])).logarithm
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
        eachCost { kind, cost in sums[kind.rawValue] += cost }
        return Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0, sums[$0.rawValue]) }).filter { $0.value > 0 }
    }

    /// Over all kinds.
    package var cost: Double {
        var sum = 0.0
        eachCost { _, cost in sum += cost }
        return sum
    }

    @inline(__always)
    private func eachCost(_ body: (Kind, Double) -> Void) {
        for edge in edges {
            let error = residual(edge)
            body(edge.kind, Self.cost(error.dot(error), edge.kernel))
        }
        for upright in uprights {
            let error = residual(upright)
            body(.gravity, dot(error, error) / 2)
        }
        for position in positions {
            let error = residual(position)
            body(.position, Self.cost(dot(error, error), position.kernel))
        }
    }
}
