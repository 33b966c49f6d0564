import Codecs
import Recording

/// Makes the JPEGs of pictures of a video; one for each worker.
final class VideoEncoder {
    private let encoder = Result { () throws(CodecError) in try JPEGEncoder() }

    /// The image of a frame, with the turn that is decided by the size of the video; what cannot be had is recorded.
    func image(
        of frame: FrameReference,
        _ picture: VideoPicture,
        _ diagnostics: inout Diagnostics
    ) -> StoredImage? {
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
