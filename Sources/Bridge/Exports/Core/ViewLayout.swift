import Recording

/// Which files an export has for each frame, and what is in them.
struct ViewLayout: Sendable {
    enum ImageForm: Sendable, Hashable {
        /// The stored JPEG or PNG, byte for byte, turned as it is.
        case stored
        /// Cut around the principal point, turned as it is stored.
        case centred
        /// In the sensor's landscape grid, at one size for all.
        case sensorJPEG(GridSize)
        case sensorPNG(GridSize)

        var suffix: String {
            if case .sensorPNG = self { ".png" } else { ".jpg" }
        }
    }

    enum DepthForm: Sendable, Hashable {
        /// 16-bit PNG in the depth's own grid, turned as the image is.
        case turned(unitsPerMetre: Double)
        /// 16-bit PNG in the sensor's grid, enlarged to the image's size by the nearest pixel.
        case sensor(unitsPerMetre: Double, GridSize)
        /// Points in the body's axes (x forward, y left, z up) as 32-bit floats: x, y, z, confidence / 2.
        case points
    }

    enum Name: Sendable, Hashable {
        /// With zeros in front, the first number as given.
        case padded(first: Int)
        /// 0, 1, 2 ...
        case plain
        /// Unix time in nanoseconds.
        case time
    }

    var image: (folder: String, form: ImageForm)?
    var depth: (folder: String, form: DepthForm)?
    var name = Name.padded(first: 1)
    /// A view without depth is left out, for formats that pair both.
    var leavesOutWithoutDepth = false

    /// The base name of a view, of which `number` counts from 1.
    func name(number: Int, unixNanoseconds: Int64) -> String {
        switch name {
        case .padded(let first): ExportText.padded(number - 1 + first)
        case .plain: "\(number - 1)"
        case .time: "\(unixNanoseconds)"
        }
    }

    var folders: [String] { [image?.folder, depth?.folder].compactMap { $0 } }
}
