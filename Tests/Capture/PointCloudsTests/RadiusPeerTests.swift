import Foundation
import Perception
import TestSupport
import Testing

/// The radius filter against scipy's k-d tree, on the same points.
@Suite struct RadiusPeerTests {
    private static let judge = """
        import json, sys
        import numpy as np
        from scipy.spatial import cKDTree
        radius, minimum = float(sys.argv[1]), int(sys.argv[2])
        points = np.frombuffer(sys.stdin.buffer.read(), np.float32).reshape(-1, 4)[:, :3].astype(float)
        tree = cKDTree(points)
        counts = tree.query_ball_point(points, radius, return_length=True)
        print(json.dumps(np.flatnonzero(counts - 1 >= minimum).tolist()))
        """

    @Test(
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        arguments: [(0.02, 0.035, 3), (0.10, 0.175, 3), (0.05, 0.2, 10)]
    )
    func keepsWhatTheTreeKeeps(voxelSize: Double, radius: Double, minimum: Int) throws {
        let scene = Scene(width: 160, height: 120, seed: 21)
        var parameters = CloudParameters()
        parameters.voxelSizeMetres = voxelSize
        parameters.outlierFilter = .off
        let all = try scene.cloud(parameters)
        parameters.outlierFilter = .radius(metres: radius, minimum: minimum)
        let kept = try scene.cloud(parameters)
        let outcome = try PeerPython.run(
            ["-c", Self.judge, "\(radius)", "\(minimum)"],
            input: Data(all.packed)
        )
        try #require(outcome.status == 0, "\(outcome.everything)")
        let expected = try JSONDecoder().decode([Int].self, from: Data(outcome.output.utf8))
        let points = all.points
        let isEqual = kept.points == expected.map { points[$0] }
        #expect(isEqual, "\(kept.count) of \(all.count) points kept, expected \(expected.count)")
        #expect(kept.count < all.count)
    }
}
