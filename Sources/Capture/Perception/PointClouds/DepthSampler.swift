package import Recording

/// The pixels of a depth map that passed depth limits, confidence and edge filter, with their colours.
package struct DepthSamples: Sendable {
    /// A camera for this grid, whose pixels are at whole numbers.
    package var camera: CameraIntrinsics
    /// Row-major depth along the optical axis; 0 where a pixel did not pass.
    package var metres: [Float]
    /// Row-major confidence, 2 where the frame has no confidence map.
    package var confidence: [UInt8]
    /// Row-major 0x00RRGGBB; `nil` without an image.
    package var colours: [UInt32]?
}

/// Brings depth maps and images into the shape that fusion takes, in memory that it keeps: have one per worker.
package final class DepthSampler {
    private let preparation = DepthPreparation()
    private let colourTables = ColourTableMaker()
    private let lens = LensRectification()

    package init() {}

    /// The samples of a view; the limits and the edge filter are those that clouds have, and lens distortion is taken out.
    ///
    /// - Parameters:
    ///   - image: gives the colours.
    ///   - orientation: how the image is turned against the sensor grid.
    ///   - imageScale: 8 for an image decoded at one eighth of its stored size, 1 for a whole one.
    ///   - parameters: those of voxels and outliers are not used, and every pixel is taken.
    package func samples(
        _ view: DepthView,
        image: RGBImage?,
        orientation: ImageOrientation = .landscapeRight,
        imageScale: Int = 8,
        parameters: CloudParameters = CloudParameters()
    ) throws(CloudError) -> DepthSamples {
        var parameters = parameters
        parameters.stride = 1
        let input = try lens.pinholeInput(
            CloudInput(
                depth: view.depth,
                intrinsics: view.intrinsics,
                mapFromCamera: view.worldFromCamera,
                image: image,
                orientation: orientation,
                imageScale: imageScale,
                parameters: parameters
            )
        )
        let taken = try input.withPointers { metres, confidence, pixels throws(CloudError) -> DepthSamples in
            samples(input, preparation.rows(input, metres, confidence), pixels)
        }
        return taken ?? DepthSamples(camera: input.gridCamera, metres: [], confidence: [])
    }

    /// The samples of an input that was checked, whose arrays are at the given addresses.
    private func samples(_ input: CloudInput, _ rows: DepthRows, _ pixels: UnsafePointer<UInt8>?) -> DepthSamples {
        let count = input.depth.metres.count
        var result = DepthSamples(
            camera: input.gridCamera,
            metres: [Float](repeating: 0, count: count),
            confidence: [UInt8](repeating: 2, count: count)
        )
        let nearest = Float(input.parameters.minimumDepthMetres)
        let farthest = Float(input.parameters.maximumDepthMetres)
        let least = input.parameters.minimumConfidence
        let table = pixels.flatMap { colourTables.table(input, pixels: $0, rows: rows) }
        var colours = table.map { _ in [UInt32](repeating: 0, count: count) }
        for row in 0..<rows.rows {
            let line = rows.depth + row * rows.paddedWidth
            let sureness = rows.confidence + row * rows.confidenceStride
            let start = row * rows.columns
            for column in 0..<rows.columns {
                let depth = line[column]
                guard depth > nearest && depth < farthest && sureness[column] >= least else { continue }
                result.metres[start + column] = depth
                result.confidence[start + column] = min(sureness[column], 2)
                guard let table else { continue }
                colours?[start + column] = table.colour(PixelTag.tag(column: column, row: row))
            }
        }
        result.colours = colours
        return result
    }
}
