package import Recording
package import Sessions

/// One small picture of a recording, for lists of many.
package enum RecordingThumbnail {
    /// A JPEG of at most 240 pixels, upright; `nil` where the frame has no picture that can be read.
    package static func jpeg(of frame: FrameReference, in session: any Session) -> [UInt8]? {
        let item = PictureItem(frame, seconds: 0, thumbnail: true)
        guard item.wantsImage else { return nil }
        let walk = FrameWalk(session, frames: [frame], withPicture: [true])
        return PictureMaker(session).make(item, walk.take(frame).picture).thumbnail
    }
}
