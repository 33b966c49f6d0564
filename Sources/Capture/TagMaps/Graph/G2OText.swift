import Recording

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
