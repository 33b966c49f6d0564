import Platform
package import Recording

/// Measures how well two views of a recording lie on one another, with the projector that makes its clouds.
///
/// Wrong axes, rotations, intrinsics or units of either make it tens of centimetres; sound phone recordings have a few.
package final class OverlapMeter {
    /// A point with nothing within this of it counts as this far away from all.
    package static let reachMetres = 0.5

    /// About so many columns of the grids are taken.
    private static let samplesTried = 64
    private static let samplesThere = 128

    private let builder = CloudBuilder()

    package init() {}

    /// The overlap of the first view's points with the second view; `nil` where a cloud cannot be built.
    package func measure(_ first: DepthView, _ second: DepthView) -> ViewOverlap? {
        // In the axes of the second camera, where single precision has digits to spare wherever the session was.
        let secondFromFirst = second.worldFromCamera.inverse * first.worldFromCamera
        guard let tried = cloud(first, secondFromFirst, samples: Self.samplesTried),
            let there = cloud(second, .identity, samples: Self.samplesThere)
        else { return nil }
        let tree = PointTree((0..<there.count).map(there.position))
        let reach = Float(Self.reachMetres)
        var distances: [Float] = []
        var depths: [Float] = []
        for index in 0..<tried.count {
            let point = tried.position(index)
            guard second.intrinsics.sees(point) else { continue }
            distances.append(tree.nearest(to: point, within: reach)?.squaredMetres.squareRoot() ?? reach)
            depths.append(-point.z)
        }
        distances.sort()
        depths.sort()
        let columns = Double(second.depth.width) / Double(Self.stride(second.depth.width, samples: Self.samplesThere))
        let pixelSlope = Double(second.intrinsics.width) / second.intrinsics.fx / columns
        return ViewOverlap(
            pointCount: tried.count,
            sharedCount: distances.count,
            medianMetres: distances.quantile(0.5).map { Double($0) } ?? Self.reachMetres,
            spacingMetres: Double(depths.quantile(0.5) ?? 0) * pixelSlope
        )
    }

    private static func stride(_ width: Int, samples: Int) -> Int { max(1, width / samples) }

    /// Every point of a grid of about so many columns: no voxels, whose size would be a part of the distance.
    private func cloud(_ view: DepthView, _ targetFromCamera: Transform, samples: Int) -> PointCloud? {
        var parameters = CloudParameters()
        parameters.stride = Self.stride(view.depth.width, samples: samples)
        parameters.voxelSizeMetres = nil
        parameters.outlierFilter = .off
        parameters.maximumRangeMetres = nil
        return try? builder.build(
            depth: view.depth,
            intrinsics: view.intrinsics,
            mapFromCamera: targetFromCamera,
            image: nil,
            parameters: parameters
        )
    }
}

extension CameraIntrinsics {
    /// True if a point in camera axes (z backward) lies in front of the camera and inside of its image.
    fileprivate func sees(_ point: SIMD3<Float>) -> Bool {
        let depth = -Double(point.z)
        guard depth > 0.05 else { return false }
        let x = cx + fx * Double(point.x) / depth
        let y = cy - fy * Double(point.y) / depth
        return x >= -0.5 && y >= -0.5 && x < Double(width) - 0.5 && y < Double(height) - 0.5
    }
}
