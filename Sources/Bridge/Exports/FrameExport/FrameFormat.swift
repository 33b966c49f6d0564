import Platform
package import Recording

/// A format that is made of a session's frames: what it needs, which files a frame has, and its writer.
///
/// A new format is one file in `Formats`, with its ``ExportWriter`` and an `extension FrameFormat` that describes it, and
/// one line in ``all``: it is a ``Product``, and the self-test follows from the description, too.
package struct FrameFormat: Sendable, Named {
    /// The value of `--to`.
    package let name: String
    /// True if the export is one file of poses, which the writer calls ``SessionExport/fileName``.
    package var isFile = false
    package var needsImages = true
    package var needsDepth = false
    /// True if each view has its depth as an image or as points.
    package var hasDepth = false
    /// True if all images have one size, as the sensor sees them.
    package var hasOneSize = false
    /// True if the surface of the session belongs to it.
    package var hasPoints = false
    /// True if its readers know views by their times, of which each may be there once.
    package var goesByTime = false
    /// True if images must lie between IMU samples.
    package var needsMotion = false
    /// The axes that its readers expect; `nil` leaves them to the plan.
    package var world: ExportWorld?
    /// True for samples that a network is trained by.
    package var isDataset = false
    /// Options that mean something for it beside those that follow from the above.
    package var options: ProductOptions = []
    /// How it is made of a bag; nil for formats that take more than one topic.
    package var ofBag: Product.BagUse?
    /// Words of other tools for it.
    package var standsFor: [String] = []
    /// The files of each frame.
    let layout: @Sendable (ExportPlan, FrameCensus) -> ViewLayout
    /// Makes the writer of an export.
    let writer: @Sendable (ExportContext) throws -> any ExportWriter

    package init(
        _ name: String,
        layout: @Sendable @escaping (ExportPlan, FrameCensus) -> ViewLayout,
        writer: @Sendable @escaping (ExportContext) throws -> any ExportWriter
    ) {
        self.name = name
        self.layout = layout
        self.writer = writer
    }

    /// All formats, in the order of the help.
    package static let all: [FrameFormat] = [
        colmap, nerfstudio, ngp, splatam, gaussian, tum, tumRGBD, euroc, kitti, open3d, webDataset,
    ]

    /// The format as one of all products.
    var product: Product {
        Product(name, .frames(self)).with {
            if isFile { ($0.ending, $0.kind) = ("txt", .trajectory.madeInFolder) }
            ($0.ofBag, $0.standsFor) = (ofBag, standsFor)
            $0.options = options.union([.frameChoice, .times, .workers])
            if hasOneSize { $0.options.insert(.oneSize) }
            if world == nil { $0.options.insert(.freeAxes) }
            if hasPoints { $0.options.insert(.points) }
            if hasPoints || hasDepth { $0.options.formUnion(.depth) }
            if options.contains(.cameraModel) { $0.options.insert(.heights) }
        }
    }
}

/// Which files an export has for each frame, and what is in them.
package struct ViewLayout: Sendable {
    package enum ImageForm: Sendable, Hashable {
        /// The stored JPEG or PNG, byte for byte, turned as it is.
        case stored
        /// Cut around the principal point to one size, which is that of the sensor's grid, turned as it is stored.
        case cut(GridSize)
        /// As one camera of the sensor's grid sees it, turned as it is stored.
        case turnedJPEG(CameraIntrinsics)
        /// The same in the sensor's landscape grid.
        case sensorJPEG(CameraIntrinsics)
        case sensorPNG(CameraIntrinsics)

        var suffix: String {
            if case .sensorPNG = self { ".png" } else { ".jpg" }
        }

        /// True if all images are those of one camera, but for their turn.
        var hasOneCamera: Bool {
            switch self {
            case .stored, .cut: false
            case .turnedJPEG, .sensorJPEG, .sensorPNG: true
            }
        }
    }

    package enum DepthForm: Sendable, Hashable {
        /// 16-bit PNG in the depth's own grid, turned as the image is.
        case turned(unitsPerMetre: Double)
        /// 16-bit PNG as the camera of the image sees it, in the sensor's grid, by the nearest pixel.
        case sensor(unitsPerMetre: Double, CameraIntrinsics)
        /// Points in the body's axes (x forward, y left, z up) as 32-bit floats: x, y, z, confidence / 2.
        case points

        var suffix: String { self == .points ? ".bin" : ".png" }
    }

    package enum Name: Sendable, Hashable {
        /// The recording's own number of the frame, with zeros in front.
        case recorded
        /// 0, 1, 2 ... with zeros in front, for readers that count files.
        case padded
        /// The same without zeros.
        case plain
        /// Unix time in nanoseconds.
        case time

        /// True if files have other numbers than the recording's frames.
        var isCounted: Bool { self == .padded || self == .plain }
    }

    package var image: (folder: String, form: ImageForm)?
    package var depth: (folder: String, form: DepthForm)?
    package var name = Name.recorded

    package init(
        image: (folder: String, form: ImageForm)? = nil,
        depth: (folder: String, form: DepthForm)? = nil,
        name: Name = .recorded
    ) {
        (self.image, self.depth, self.name) = (image, depth, name)
    }

    /// The base name of a view, of which `number` counts from 1 and `recorded` is the frame's own.
    func name(number: Int, recorded: Int, unixNanoseconds: Int64) -> String {
        switch name {
        case .recorded: padded(recorded, 6)
        case .padded: padded(number - 1, 6)
        case .plain: "\(number - 1)"
        case .time: "\(unixNanoseconds)"
        }
    }

    var folders: [String] { [image?.folder, depth?.folder].compactMap { $0 } }
}
