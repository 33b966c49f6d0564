package import Recording

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
