package import Recording

/// Builds clouds from depth maps, one at a time, in memory that it keeps: have one per worker.
///
/// The steps: project, voxel grid, range, outlier filter, colour. The points come in row-major order of the pixel that
/// first touched them, and the same input gives the same bytes. Each cloud says how many pixels each step dropped.
package final class CloudBuilder {
    private let preparation = DepthPreparation()
    private let projections = ProjectionTables()
    private let colours = ColourTableMaker()
    private let assembly = CloudAssembly()

    package init() {}

    /// The cloud of a metric depth map, in the axes that `mapFromCamera` leads to.
    ///
    /// - Parameters:
    ///   - depth: on any grid over the sensor's view.
    ///   - intrinsics: of the full sensor image; they are scaled to the depth grid here.
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
        let input = CloudInput(
            depth: depth,
            intrinsics: intrinsics,
            mapFromCamera: mapFromCamera,
            image: image,
            orientation: orientation,
            imageScale: imageScale,
            parameters: parameters
        )
        try input.validate()
        return try depth.metres.withUnsafeBufferPointer { metres throws(CloudError) -> PointCloud in
            guard let metres = metres.baseAddress else { return PointCloud(count: 0, packed: []) }
            return try withOptionalPointer(depth.confidence) { confidence throws(CloudError) -> PointCloud in
                try withOptionalPointer(image?.pixels) { pixels throws(CloudError) -> PointCloud in
                    try build(input, metres, confidence, pixels)
                }
            }
        }
    }

    /// The cloud of an input that was checked, whose arrays are at the given addresses.
    private func build(
        _ input: CloudInput,
        _ metres: UnsafePointer<Float>,
        _ confidence: UnsafePointer<UInt8>?,
        _ pixels: UnsafePointer<UInt8>?
    ) throws(CloudError) -> PointCloud {
        let rows = preparation.rows(
            depth: metres,
            confidence: confidence,
            width: input.depth.width,
            height: input.depth.height,
            parameters: input.parameters
        )
        let projection = projections.projection(
            rows: rows,
            camera: input.gridCamera,
            targetFromCamera: input.mapFromCamera,
            parameters: input.parameters
        )
        let table = pixels.flatMap { colours.table(input, pixels: $0, rows: rows) }
        return try assembly.cloud(rows, projection, table, input.parameters)
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
            depth: DepthMap(
                width: relativeDepth.width,
                height: relativeDepth.height,
                metres: relativeDepth.values
            ),
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
