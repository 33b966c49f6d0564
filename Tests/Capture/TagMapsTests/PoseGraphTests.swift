import Maps
import Recording
import TestSupport
import Testing

/// The solver by itself, against what is known without it.
@Suite struct PoseGraphTests {
    private let covariance = Matrix6(
        diagonal: Vector6(Vector3(4e-4, 1e-4, 9e-4), Vector3(1e-4, 4e-4, 2.25e-4))
    )

    private func normal(_ generator: inout SeededRandomNumbers) -> Double {
        (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
    }

    /// A ring of nodes with one chord, where each edge has noise of `covariance`.
    private func ring(_ generator: inout SeededRandomNumbers, noisy: Bool) -> (PoseGraph, [Transform]) {
        var graph = PoseGraph()
        let truth = (0..<8).map { (index: Int) -> Transform in
            let angle = Double(index) / 2
            let place = Vector3(Double(index % 3), angle / 2, Double(index / 3))
            return Transform(rotation: Quaternion(angleRadians: angle, axis: Vector3(0, 1, 0)), translation: place)
        }
        for pose in truth { _ = graph.add(pose) }
        let pairs: [(Int, Int)] = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 0), (1, 5)]
        for (from, to) in pairs {
            var measured = truth[from].inverse * truth[to]
            if noisy {
                let scale = covariance.diagonal
                func part(_ variances: Vector3) -> Vector3 {
                    Vector3(variances.x.squareRoot(), variances.y.squareRoot(), variances.z.squareRoot())
                        * Vector3(normal(&generator), normal(&generator), normal(&generator))
                }
                measured = measured.moved(by: Vector6(part(scale.translation), part(scale.rotation)))
            }
            let edge = PoseGraph.Edge(.odometry, from: from, to: to, measured: measured, covariance: covariance)
            if let edge { graph.edges.append(edge) }
        }
        return (graph, truth)
    }

    @Test("exact measurements are met exactly from a wrong start")
    func exact() {
        var generator = SeededRandomNumbers(seed: 1)
        var (graph, truth) = ring(&generator, noisy: false)
        for index in graph.nodes.indices.dropFirst() {
            let step = Vector6(
                Vector3(normal(&generator), normal(&generator), normal(&generator)) * 0.2,
                Vector3(normal(&generator), normal(&generator), normal(&generator)) * 0.2
            )
            graph.nodes[index] = graph.nodes[index].moved(by: step)
        }
        var solver = PoseGraphSolver(graph)
        let result = solver.solve()
        #expect(result.hasConverged && result.costAfter < 1e-12)
        for (pose, expected) in zip(solver.poses, truth) {
            #expect((pose.translation - expected.translation).length < 1e-7)
        }
    }

    @Test("covariances are those of many measurements")
    func honestCovariance() throws {
        var generator = SeededRandomNumbers(seed: 2)
        var (squares, expected) = (Vector6.zero, Vector6.zero)
        for _ in 0..<1500 {
            let (graph, truth) = ring(&generator, noisy: true)
            var solver = PoseGraphSolver(graph)
            _ = solver.solve()
            let found = solver.covariances(of: [0, 4])
            let covariance = try #require(found)
            #expect(covariance[0] == .zero)
            let error = truth[4].inverse * solver.poses[4]
            let turn = error.rotation.rotationVector
            squares = squares + Vector6(error.translation * error.translation, turn * turn)
            expected = expected + covariance[1].diagonal
        }
        for axis in 0..<3 {
            let ratios = [
                squares.translation[axis] / expected.translation[axis],
                squares.rotation[axis] / expected.rotation[axis],
            ]
            for ratio in ratios { #expect((0.85...1.15).contains(ratio), "\(axis): \(ratios)") }
        }
    }

    @Test("pieces that nothing ties together are solved each by itself, also without any tie at all")
    func pieces() {
        var generator = SeededRandomNumbers(seed: 3)
        var (graph, _) = ring(&generator, noisy: true)
        let edges = graph.edges
        for node in graph.nodes { _ = graph.add(node) }
        _ = graph.add(.identity)
        for var edge in edges {
            edge.from += 8
            edge.to += 8
            graph.edges.append(edge)
        }
        #expect(Set(graph.pieces) == [0, 8, 16])
        var solver = PoseGraphSolver(graph)
        let result = solver.solve()
        #expect(result.hasConverged)
        for index in 0..<8 {
            #expect((solver.poses[index].translation - solver.poses[index + 8].translation).length < 1e-9)
        }
    }

    @Test("positions of another frame turn the map to them")
    func positions() {
        var generator = SeededRandomNumbers(seed: 4)
        var (graph, truth) = ring(&generator, noisy: false)
        let earth = Transform(
            rotation: Quaternion(angleRadians: 1, axis: Vector3(0, 1, 0)),
            translation: Vector3(100, 5, -20)
        )
        let reference = graph.add(.identity)
        for index in truth.indices {
            graph.positions.append(
                PoseGraph.Position(
                    node: index,
                    reference: reference,
                    place: earth.inverse * truth[index].translation,
                    sigmaMetres: Vector3(3, 3, 3)
                )
            )
        }
        var solver = PoseGraphSolver(graph)
        _ = solver.solve()
        #expect((solver.poses[reference].translation - earth.translation).length < 1e-4)
    }

    @Test("a graph as g2o text has every node and every edge, and the first node fixed")
    func g2o() {
        var generator = SeededRandomNumbers(seed: 5)
        let (graph, _) = ring(&generator, noisy: true)
        let lines = graph.g2oText.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.count { $0[0] == "VERTEX_SE3:QUAT" && $0.count == 9 } == 8)
        #expect(lines.count { $0[0] == "EDGE_SE3:QUAT" && $0.count == 31 } == 9)
        #expect(lines.filter { $0[0] == "FIX" } == [["FIX", "0"]])
        // Of half angles: four times the information, 1 / 1e-4 of the first axis.
        let information = lines.last?.dropFirst(10).compactMap { Double($0) } ?? []
        #expect(abs(information[0] * 4e-4 - 1) < 1e-9 && abs(information[15] * 1e-4 / 4 - 1) < 1e-9)
    }
}
