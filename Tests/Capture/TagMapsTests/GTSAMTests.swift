import Foundation
import Maps
import Recording
import SystemPackage
import TestSupport
import Testing
import Text

/// The solver against GTSAM's: its own factors, its own linear algebra, its own Levenberg-Marquardt.
@Suite(.enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
struct GTSAMTests {
    private struct Judgement: Decodable {
        var ours: Double
        var from_solved: Double
        var from_start: Double
    }

    private func judge(_ graph: PoseGraph, start: [Transform], solved: [Transform]) throws -> Judgement {
        func numbers(_ values: [Double]) -> JSONValue { .array(values.map { .number($0) }) }
        func pose(_ transform: Transform) -> JSONValue {
            let (t, q) = (transform.translation, transform.rotation)
            return numbers([t.x, t.y, t.z, q.x, q.y, q.z, q.w])
        }
        let pieces = graph.pieces
        let edges = try graph.edges.map { edge -> JSONValue in
            let information = edge.whitening.transposed * edge.whitening
            let covariance = try #require(information.symmetricInverse)
            return .object([
                "from": .integer(edge.from), "to": .integer(edge.to), "pose": pose(edge.measured),
                "covariance": numbers(covariance.rows.flatMap(\.self)), "kernel": .number(edge.kernel),
            ])
        }
        let uprights = graph.uprights.map { upright -> JSONValue in
            .object([
                "node": .integer(upright.node), "up": numbers([upright.up.x, upright.up.y, upright.up.z]),
                "sigma": .number(upright.sigmaRadians),
            ])
        }
        let value: JSONValue = .object([
            "start": .array(start.map(pose)), "solved": .array(solved.map(pose)), "edges": .array(edges),
            "uprights": .array(uprights),
            "held": .array(graph.nodes.indices.filter { pieces[$0] == $0 }.map { .integer($0) }),
        ])
        let directory = try TemporaryDirectory()
        let path = directory.appending("graph.json").string
        try value.text().write(toFile: path, atomically: true, encoding: .utf8)
        let output = try PeerPython.run([Checkout.path("tools/peers/gtsam_graph.py").string, path]).outputOfSuccess()
        return try JSONDecoder().decode(Judgement.self, from: Data(output.utf8))
    }

    @Test("the optimum of a walk with loops is GTSAM's", arguments: [1, 2, 3] as [UInt64])
    func loops(seed: UInt64) throws {
        var graph = SyntheticWalk(seed: seed, poses: 120, tags: 8).graph
        for index in graph.edges.indices { graph.edges[index].kernel = nil }
        var solver = PoseGraphSolver(graph)
        let result = solver.solve()
        let judgement = try judge(graph, start: graph.nodes, solved: solver.poses)
        #expect(abs(judgement.ours / result.costAfter - 1) < 1e-6)
        #expect(abs(judgement.from_start / result.costAfter - 1) < 1e-6)
        #expect(abs(judgement.from_solved / result.costAfter - 1) < 1e-6)
    }

    @Test(
        "and so it is for the stored maps, with robust kernels and gravity",
        .enabled(if: Captures.have("invisiblemap-occam"), Comment(rawValue: Captures.absence)),
        arguments: ["floor_2_obright.json", "floor_2_straight.json", "floor_2_obleft.json"]
    )
    func storedMaps(name: String) throws {
        let path = Captures.path("invisiblemap-occam/\(name)").string
        let walk = try RawTagMap(parsing: Array(Data(contentsOf: URL(fileURLWithPath: path))))
        let map = try #require(TagMapper().maps(of: [walk]).first)
        let judgement = try judge(map.graph, start: map.startNodes, solved: map.graph.nodes)
        #expect(abs(judgement.ours / map.graph.cost - 1) < 1e-6, "\(judgement) \(map.graph.cost)")
        #expect(judgement.from_solved > map.graph.cost * (1 - 1e-6), "\(judgement) \(map.graph.cost)")
        // A robust cost has several valleys: GTSAM must not find a lower one from where we began.
        #expect(judgement.from_start > map.graph.cost * (1 - 1e-6), "\(judgement) \(map.graph.cost)")
    }
}
