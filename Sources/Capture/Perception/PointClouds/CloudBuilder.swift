package import Recording

/// Builds clouds from depth maps, one at a time, in memory that it keeps: have one per worker.
///
/// The steps: edge filter, projection within the limits of depth and confidence, voxel grid, range, outliers, colour (before
/// the voxel grid where voxels become centroids). The points come in row-major order of the pixel that
/// first touched them, and the same input gives the same bytes. Each cloud says how many pixels each step dropped.
///
/// This library turns depth into clouds. Begin reading here; ``CloudAssembly`` has the order of the steps, ``Projection``
/// the geometry, Filters the voxel grids, Calibration the way from relative depth to metres.
package final class CloudBuilder {
    private let preparation = DepthPreparation()
    private let projections = ProjectionTables()
    private let colours = ColourTableMaker()
    private let assembly = CloudAssembly()
    private let lens = LensRectification()

    package init() {}

    /// The cloud of a metric depth map, in the axes that `mapFromCamera` leads to.
    ///
    /// - Parameters:
    ///   - depth: on any grid over the sensor's view.
    ///   - intrinsics: those of the full sensor image; they are scaled to the depth grid here, and lens distortion is taken out.
    ///   - mapFromCamera: from camera axes, x right, y up, z backward.
    ///   - image: gives the colours; without it all points are white.
    ///   - orientation: how the image is turned against the sensor grid.
    ///   - imageScale: 8 for an image decoded at one eighth of its stored size, whose size may be rounded up; 1 for a
    ///     whole one.
    package func build(
        depth: DepthMap,
        intrinsics: CameraIntrinsics,
        mapFromCamera: Transform,
        image: RGBImage?,
        orientation: ImageOrientation = .landscapeRight,
        imageScale: Int = 8,
        parameters: CloudParameters = CloudParameters()
    ) throws(CloudError) -> PointCloud {
        let input = try lens.pinholeInput(
            CloudInput(
                depth: depth,
                intrinsics: intrinsics,
                mapFromCamera: mapFromCamera,
                image: image,
                orientation: orientation,
                imageScale: imageScale,
                parameters: parameters
            )
        )
        let cloud = try input.withPointers { metres, confidence, pixels throws(CloudError) -> PointCloud in
            let rows = preparation.rows(input, metres, confidence)
            let projection = projections.projection(
                rows: rows,
                camera: input.gridCamera,
                targetFromCamera: input.mapFromCamera,
                parameters: input.parameters
            )
            let table = pixels.flatMap { colours.table(input, pixels: $0, rows: rows) }
            return try assembly.cloud(rows, projection, table, input.parameters)
        }
        return cloud ?? PointCloud(count: 0, packed: [])
    }

    /// The cloud of relative depth, in camera axes and in the unit of the values.
    ///
    /// - Parameter relativeDepth: larger is farther, as `RelativeDepthCalibration.relativeDepth` gives it; values that
    ///   are not finite and positive are skipped.
    package func buildRelative(
        relativeDepth: RelativeDepthMap,
        intrinsics: CameraIntrinsics,
        image: RGBImage?,
        orientation: ImageOrientation = .landscapeRight,
        imageScale: Int = 8,
        parameters: CloudParameters = .relative
    ) throws(CloudError) -> PointCloud {
        try build(
            depth: DepthMap(width: relativeDepth.width, height: relativeDepth.height, metres: relativeDepth.values),
            intrinsics: intrinsics,
            mapFromCamera: .identity,
            image: image,
            orientation: orientation,
            imageScale: imageScale,
            parameters: parameters
        )
    }
}

/// Calls `body` with the address of the elements, or with `nil` where there is no array.
private func withOptionalPointer<Result>(
    _ array: [UInt8]?,
    _ body: (UnsafePointer<UInt8>?) throws(CloudError) -> Result
) throws(CloudError) -> Result {
    guard let array else { return try body(nil) }
    return try array.withUnsafeBufferPointer { buffer throws(CloudError) -> Result in try body(buffer.baseAddress) }
}

struct CloudInput {
    var depth: DepthMap
    var intrinsics: CameraIntrinsics
    var mapFromCamera: Transform
    var image: RGBImage?
    var orientation: ImageOrientation
    var imageScale: Int
    var parameters: CloudParameters

    /// The camera for the depth grid, whose pixels are at whole numbers.
    var gridCamera: CameraIntrinsics {
        var camera = intrinsics.scaled(toWidth: depth.width, height: depth.height)
        if parameters.pixelPoint == .corner {
            // The app scales all four numbers alike, wherever in its pixel a coordinate is counted from.
            camera.cx = intrinsics.cx * Double(depth.width) / Double(intrinsics.width)
            camera.cy = intrinsics.cy * Double(depth.height) / Double(intrinsics.height)
        }
        return camera
    }

    /// Checks the input, then calls `body` with the addresses of depth, confidence and colours; `nil` where there is no depth.
    func withPointers<Result>(
        _ body: (UnsafePointer<Float>, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?) throws(CloudError) -> Result
    ) throws(CloudError) -> Result? {
        try validate()
        return try depth.metres.withUnsafeBufferPointer { metres throws(CloudError) -> Result? in
            guard let metres = metres.baseAddress else { return nil }
            return try withOptionalPointer(depth.confidence) { confidence throws(CloudError) -> Result in
                try withOptionalPointer(image?.pixels) { pixels throws(CloudError) -> Result in
                    try body(metres, confidence, pixels)
                }
            }
        }
    }

    /// Throws unless the parts are possible and fit together.
    func validate() throws(CloudError) {
        try parameters.validate()
        try check(depth)
        try check(intrinsics)
        try check(mapFromCamera)
        if let image { try check(image, intrinsics, orientation, imageScale) }
    }

    private func check(_ depth: DepthMap) throws(CloudError) {
        try checkSize("depth map", depth.width, depth.height)
        let count = depth.width * depth.height
        guard depth.metres.count == count else {
            throw .gridCount(grid: "depth map", expected: count, found: depth.metres.count)
        }
        if let confidence = depth.confidence, confidence.count != count {
            throw .gridCount(grid: "confidence map", expected: count, found: confidence.count)
        }
    }

    private func check(_ camera: CameraIntrinsics) throws(CloudError) {
        try checkSize("camera image", camera.width, camera.height)
        for (name, value) in [("fx", camera.fx), ("fy", camera.fy), ("cx", camera.cx), ("cy", camera.cy)] {
            let isLength = name.hasPrefix("f")
            guard value.isFinite && (!isLength || value > 1e-5) else { throw .intrinsics("\(name) = \(value)") }
        }
    }

    private func check(_ pose: Transform) throws(CloudError) {
        let numbers = pose.columnMajor
        guard numbers.allSatisfy({ Float($0).isFinite }) else { throw .poseNotFinite }
    }

    /// The image's width and height have the stored image's ratio, up to the rounding of a reduced size.
    private func check(
        _ image: RGBImage,
        _ camera: CameraIntrinsics,
        _ orientation: ImageOrientation,
        _ scale: Int
    ) throws(CloudError) {
        guard (1...64).contains(scale) else {
            throw .parameter(name: "imageScale", expected: "1 to 64", found: Double(scale))
        }
        try checkSize("image", image.width, image.height)
        let count = 3 * image.width * image.height
        guard image.pixels.count == count else {
            throw .gridCount(grid: "image", expected: count, found: image.pixels.count)
        }
        let stored = orientation.storedSize(sensorWidth: camera.width, sensorHeight: camera.height)
        let difference = abs(image.width * stored.height - image.height * stored.width)
        guard difference <= stored.width + stored.height else {
            throw .imageShape(
                expectedWidth: stored.width,
                expectedHeight: stored.height,
                width: image.width,
                height: image.height
            )
        }
    }

    private func checkSize(_ grid: String, _ width: Int, _ height: Int) throws(CloudError) {
        let sides = 1...GridLimits.maximumSide
        guard sides.contains(width) && sides.contains(height) && width * height <= GridLimits.maximumCount else {
            throw .gridSize(grid: grid, width: width, height: height)
        }
    }
}
