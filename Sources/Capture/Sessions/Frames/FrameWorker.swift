import Codecs
package import Perception
package import Recording

/// The picture that gives a cloud its colours.
package struct FrameColours: Sendable {
    package var image: RGBImage
    /// How the image is turned against the sensor's grid.
    package var orientation: ImageOrientation
    /// 8 for an image decoded at an eighth of its size, 1 for a whole one.
    package var scale: Int

    package init(image: RGBImage, orientation: ImageOrientation, scale: Int) {
        (self.image, self.orientation, self.scale) = (image, orientation, scale)
    }
}

/// The tags in an image, in the pixels of the image as it is stored.
package struct FoundTags: Sendable {
    package var detections: TagDetections
    package var orientation: ImageOrientation
    /// The size of the stored image.
    package var size: GridSize
}

/// Loads frames and makes samples, clouds, colours and tags of them; each worker of a walk has its own.
///
/// Problems are recorded where they are met, and a method gives `nil` for what cannot be used. Buffers are kept from frame
/// to frame.
package final class FrameWorker {
    package let loader: any PayloadLoader
    private let file: String
    private let builder = CloudBuilder()
    private let sampler = DepthSampler()
    private let calibrator = RelativeDepthCalibrator()
    private let decoder = ImageDecoder()
    private var brightness = GrayImage(width: 0, height: 0, pixels: [])
    private let tagParameters: TagDetectorParameters
    /// Made with the first frame that is searched.
    private lazy var detector = Result { () throws(TagImageError) in try TagDetector(tagParameters) }

    package init(_ session: any Session, tags: TagDetectorParameters = TagDetectorParameters()) {
        loader = session.makeLoader()
        file = session.summary.frameFile
        tagParameters = tags
    }

    /// A problem of a frame's payload, with the line of the frame.
    private func problem(_ kind: ProblemKind, _ frame: FrameReference, expected: String, found: String) -> Problem {
        Problem(kind, file: file, line: frame.line, expected: expected, found: found)
    }

    /// Decodes a stored image as the colours of a depth grid.
    ///
    /// - Parameters:
    ///   - grid: the size of the depth; `nil` decodes an eighth.
    ///   - fullSize: decodes the whole image, however fine the depth is.
    package func colours(
        _ stored: StoredImage?,
        of frame: FrameReference,
        for grid: GridSize?,
        fullSize: Bool = false,
        _ diagnostics: inout Diagnostics
    ) -> FrameColours? {
        guard let stored else { return nil }
        let own = stored.colourScale(depthWidth: grid?.width ?? 0, depthHeight: grid?.height ?? 0)
        let scale = fullSize ? 1 : own
        guard let image = loader.decode(stored, of: frame, fullSize: scale == 1, &diagnostics) else { return nil }
        return FrameColours(image: image, orientation: stored.orientation, scale: scale)
    }

    /// The valid depth pixels of a frame as points of its camera.
    package func samples(
        _ depth: DepthMap,
        of frame: FrameReference,
        worldFromCamera: Transform,
        colours: FrameColours?,
        _ parameters: CloudParameters,
        _ diagnostics: inout Diagnostics
    ) -> DepthSamples? {
        counting(frame, "a frame that can be fused", &diagnostics) { () throws(CloudError) in
            try sampler.samples(
                DepthView(depth: depth, intrinsics: frame.intrinsics, worldFromCamera: worldFromCamera),
                image: colours?.image,
                orientation: colours?.orientation ?? .landscapeRight,
                imageScale: colours?.scale ?? 8,
                parameters: parameters
            )
        }
    }

    /// The cloud of a frame in the axes that `mapFromCamera` leads to.
    package func cloud(
        _ depth: DepthMap,
        of frame: FrameReference,
        mapFromCamera: Transform,
        colours: FrameColours?,
        _ parameters: CloudParameters,
        _ diagnostics: inout Diagnostics
    ) -> PointCloud? {
        counting(frame, "a frame that a cloud can be built from", &diagnostics) { () throws(CloudError) in
            try builder.build(
                depth: depth,
                intrinsics: frame.intrinsics,
                mapFromCamera: mapFromCamera,
                image: colours?.image,
                orientation: colours?.orientation ?? .landscapeRight,
                imageScale: colours?.scale ?? 8,
                parameters: parameters
            )
        }
    }

    /// The cloud of relative depth in its camera's axes.
    package func relativeCloud(
        _ depth: RelativeDepthMap,
        of frame: FrameReference,
        colours: FrameColours?,
        _ parameters: CloudParameters,
        _ diagnostics: inout Diagnostics
    ) -> PointCloud? {
        counting(frame, "a frame that a cloud can be built from", &diagnostics) { () throws(CloudError) in
            try builder.buildRelative(
                relativeDepth: depth,
                intrinsics: frame.intrinsics,
                image: colours?.image,
                orientation: colours?.orientation ?? .landscapeRight,
                imageScale: colours?.scale ?? 8,
                parameters: parameters
            )
        }
    }

    /// The line that turns relative depth into metres.
    package func calibrate(
        _ relative: RelativeDepthMap,
        to depth: DepthMap,
        _ parameters: CalibrationParameters = CalibrationParameters()
    ) throws(CalibrationError) -> RelativeDepthCalibration {
        try calibrator.calibrate(depth: depth, relativeDepth: relative, parameters: parameters)
    }

    /// Searches an image for tags.
    package func tags(
        in stored: StoredImage,
        of frame: FrameReference,
        _ diagnostics: inout Diagnostics
    ) -> FoundTags? {
        do {
            try decoder.brightness(stored, into: &brightness)
            return FoundTags(
                detections: try detector.get().detect(brightness),
                orientation: stored.orientation,
                size: GridSize(width: brightness.width, height: brightness.height)
            )
        } catch {
            let expected = "an image to search for tags"
            diagnostics.record(problem(.brokenImage, frame, expected: expected, found: "\(error)"))
            return nil
        }
    }

    /// One frame whose cloud cannot be built must not end the session.
    private func counting<Result>(
        _ frame: FrameReference,
        _ expected: String,
        _ diagnostics: inout Diagnostics,
        _ build: () throws(CloudError) -> Result
    ) -> Result? {
        do throws(CloudError) {
            return try build()
        } catch {
            diagnostics.record(problem(.cloudNotBuilt, frame, expected: expected, found: "\(error)"))
            return nil
        }
    }
}
