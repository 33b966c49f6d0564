import Perception
import Recording

/// A picture of a printed tag, drawn by looking up what each of 8x8 rays of a pixel meets.
struct RenderedTag {
    static let camera = CameraIntrinsics(width: 640, height: 480, fx: 600, fy: 605, cx: 318, cy: 243)

    let pose: Transform
    let edge: Double
    private let pattern: TagPattern

    /// Nil for a number that the family does not have.
    init?(_ family: TagFamily, _ id: Int, pose: Transform, edge: Double) {
        guard let pattern = family.pattern(of: id) else { return nil }
        self.pattern = pattern
        self.pose = pose
        self.edge = edge
    }

    /// Written out: x over depth, and y over depth counted down.
    var corners: [SIMD2<Double>] {
        SquarePose.corners(edgeMetres: edge).map { corner in
            let p = pose * corner
            return SIMD2(318 + 600 * p.x / -p.z, 243 - 605 * p.y / -p.z)
        }
    }

    func draw(on image: inout GrayImage) {
        let cell = edge / Double(pattern.borderCells)
        let normal = pose.rotation.rotating(Vector3(0, 0, 1))
        let inverse = pose.inverse
        // The white margin is less than half of the edge.
        let (xs, ys) = (corners.map(\.x), corners.map(\.y))
        func range(_ values: [Double], _ count: Int) -> Range<Int> {
            let (low, high) = (values.min() ?? 0, values.max() ?? 0)
            let margin = (high - low) * 0.8
            let first = max(0, min(count, Int(low - margin)))
            return first..<max(first, min(count, Int(high + margin)))
        }
        for row in range(ys, 480) {
            for column in range(xs, 640) {
                var (sum, hits) = (0.0, 0)
                for sub in 0..<64 {
                    let u = Double(column) - 0.5 + (Double(sub % 8) + 0.5) / 8
                    let v = Double(row) - 0.5 + (Double(sub / 8) + 0.5) / 8
                    let ray = Vector3((u - 318) / 600, -(v - 243) / 605, -1)
                    let point = inverse * (ray * (dot(normal, pose.translation) / dot(normal, ray)))
                    let x = point.x / cell + Double(pattern.cells) / 2
                    let y = Double(pattern.cells) / 2 - point.y / cell
                    guard x >= 0, y >= 0, x < Double(pattern.cells), y < Double(pattern.cells) else { continue }
                    hits += 1
                    sum += pattern.isWhite[Int(y) * pattern.cells + Int(x)] ? 240 : 15
                }
                guard hits > 0 else { continue }
                let share = Double(hits) / 64
                let old = Double(image.pixels[row * 640 + column])
                image.pixels[row * 640 + column] = UInt8((old * (1 - share) + sum / 64).rounded())
            }
        }
    }

    static var wall: GrayImage { GrayImage(width: 640, height: 480, pixels: [UInt8](repeating: 180, count: 640 * 480)) }
}
