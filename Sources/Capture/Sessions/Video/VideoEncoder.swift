import Codecs
import Recording

/// Makes the JPEGs of pictures of a video; one for each worker.
final class VideoEncoder {
    private let encoder = Result { () throws(CodecError) in try JPEGEncoder() }

    /// The image of a frame, with the turn that is decided by the size of the video; what cannot be had is recorded.
    func image(of frame: FrameReference, _ picture: VideoPicture, _ diagnostics: inout Diagnostics) -> StoredImage? {
        do throws(Problem) {
            let planes = try picture.planes.get()
            if let damage = planes.damage {
                diagnostics.record(damage)
                guard picture.acceptsDamage else { return nil }
            }
            let (orientation, contradiction) = try OrientationDecision.decide(
                frame: frame,
                image: planes.size,
                file: planes.file
            )
            if let contradiction { diagnostics.record(contradiction) }
            return StoredImage(
                bytes: try encoded(planes),
                width: planes.size.width,
                height: planes.size.height,
                orientation: orientation
            )
        } catch {
            diagnostics.record(error)
            return nil
        }
    }

    private func encoded(_ picture: VideoPicture.Planes) throws(Problem) -> [UInt8] {
        let (width, height) = (picture.size.width, picture.size.height)
        do throws(CodecError) {
            let planes = picture.colours.planes(picture.bytes, width: width, height: height)
            return try encoder.get().encode(planes: planes, width: width, height: height, quality: VideoFile.quality)
        } catch {
            let expected = "a picture that can be coded"
            throw Problem(.missingPicture, file: picture.file, expected: expected, found: "\(error)")
        }
    }
}

/// The colour space of a video's pixels, and its conversion to that of a JPEG.
struct VideoColours: Sendable, Hashable {
    /// The format that ffmpeg is asked for: 8 bits a sample, 4:2:0, in the range that the video has.
    let pixelFormat: String
    private let isFullRange: Bool
    /// The weights of red and blue in the brightness.
    private let red: Double
    private let blue: Double

    /// - Parameters: as ffprobe says them; what is not known is taken as ffmpeg itself takes it.
    init(pixelFormat: String, range: String, matrix: String) {
        isFullRange = pixelFormat.hasPrefix("yuvj") || range == "pc"
        self.pixelFormat = isFullRange ? "yuvj420p" : "yuv420p"
        switch matrix {
        case "bt709": (red, blue) = (0.2126, 0.0722)
        case "bt2020nc", "bt2020c": (red, blue) = (0.2627, 0.0593)
        case "smpte240m": (red, blue) = (0.212, 0.087)
        default: (red, blue) = (0.299, 0.114)
        }
    }

    /// Y', Cb and Cr of JFIF (BT.601, 0 to 255) from the same of the video: brightness and chroma without their offsets.
    private struct Matrix {
        var lumaFromLuma: Float
        var lumaFromChroma: (Float, Float)
        var blueFromChroma: (Float, Float)
        var redFromChroma: (Float, Float)
    }

    private var matrix: Matrix {
        let (luma, chroma) = isFullRange ? (1.0, 1.0) : (255.0 / 219, 255.0 / 224)
        let green = 1 - red - blue
        // Red, green and blue of a chroma of one, above the brightness.
        let ofBlue = (0.0, -2 * blue * (1 - blue) / green, 2 * (1 - blue))
        let ofRed = (2 * (1 - red), -2 * red * (1 - red) / green, 0.0)
        func turned(_ c: (Double, Double, Double)) -> (luma: Float, blue: Float, red: Float) {
            let y = 0.299 * c.0 + 0.587 * c.1 + 0.114 * c.2
            return (Float(chroma * y), Float(chroma * (c.2 - y) / 1.772), Float(chroma * (c.0 - y) / 1.402))
        }
        let (b, r) = (turned(ofBlue), turned(ofRed))
        return Matrix(
            lumaFromLuma: Float(luma),
            lumaFromChroma: (b.luma, r.luma),
            blueFromChroma: (b.blue, r.blue),
            redFromChroma: (b.red, r.red)
        )
    }

    /// The planes that a JPEG codes, both sides of the brightness rounded up to even numbers.
    ///
    /// - Parameter picture: the planes as ffmpeg writes them: rows without padding, chroma rounded up.
    func planes(_ picture: [UInt8], width: Int, height: Int) -> [UInt8] {
        let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
        precondition(picture.count == width * height + 2 * columns * rows)
        let m = matrix
        let offset: Float = isFullRange ? 0 : 16
        return [UInt8](unsafeUninitializedCapacity: 6 * columns * rows) { output, count in
            count = 6 * columns * rows
            picture.withUnsafeBufferPointer { input in
                var added = [Float](repeating: 0, count: 2 * columns)
                for row in 0..<rows {
                    let blue = UnsafeBufferPointer(rebasing: input[(width * height + row * columns)...].prefix(columns))
                    let red = UnsafeBufferPointer(
                        rebasing: input[(width * height + (rows + row) * columns)...].prefix(columns)
                    )
                    let start = 4 * columns * rows + row * columns
                    for x in 0..<columns {
                        let (b, r) = (Float(blue[x]) - 128, Float(red[x]) - 128)
                        output[start + x] = Self.byte(m.blueFromChroma.0 * b + m.blueFromChroma.1 * r + 128)
                        output[start + columns * rows + x] =
                            Self.byte(m.redFromChroma.0 * b + m.redFromChroma.1 * r + 128)
                        let luma = m.lumaFromChroma.0 * b + m.lumaFromChroma.1 * r - m.lumaFromLuma * offset
                        added[2 * x] = luma
                        added[2 * x + 1] = luma
                    }
                    for line in 2 * row...2 * row + 1 {
                        let source = UnsafeBufferPointer(
                            rebasing: input[(min(line, height - 1) * width)...].prefix(width)
                        )
                        let target = line * 2 * columns
                        for x in 0..<width {
                            output[target + x] = Self.byte(m.lumaFromLuma * Float(source[x]) + added[x])
                        }
                        if width < 2 * columns { output[target + width] = output[target + width - 1] }
                    }
                }
            }
        }
    }

    private static func byte(_ value: Float) -> UInt8 { UInt8(max(0, min(255, value + 0.5))) }
}
