import Messages
package import Recording
package import Sessions
import Text
import Translation

/// Small images beside each other, with their depth and a label under each.
enum ContactSheet {
    struct Tile {
        /// `nil` for a picture that does not follow the page's time.
        var seconds: Double?
        var image: [UInt8]
        var depth: [UInt8]?
        var label: String
    }

    private static let columns = 6
    private static let cell = SIMD2(164.0, 152.0)
    private static let image = SIMD2(156.0, 124.0)

    static func figure(_ tiles: [Tile], caption: String = "", named name: String = "images") -> ReportPage.Figure {
        var html = "<div class=\"sheet\">\n"
        for tile in tiles {
            let label = SVG.escaped(tile.label)
            let time = tile.seconds.map { $0.text(decimals: 3) }
            html +=
                time.map { "<button type=\"button\" class=\"tile\" data-seconds=\"\($0)\">" } ?? "<div class=\"tile\">"
            html += "<img alt=\"image of \(label)\" src=\"\(address(tile.image))\">"
            if let depth = tile.depth { html += "<img alt=\"depth of \(label)\" src=\"\(address(depth))\">" }
            html += "<span>\(label)</span>\(time == nil ? "</div>" : "</button>")\n"
        }
        return ReportPage.Figure(html: html + "</div>", caption: caption, picture: (name, .vector(svg(tiles))))
    }

    /// The same as one picture, with the depth of every third.
    private static func svg(_ tiles: [Tile]) -> SVG {
        let cells = tiles.enumerated().flatMap { place, tile in
            let depth = place % 3 == 1 ? tile.depth.map { ($0, "depth of " + tile.label) } : nil
            return [(tile.image, tile.label)] + (depth.map { [$0] } ?? [])
        }
        let rows = (cells.count + columns - 1) / columns
        var svg = SVG(
            width: Double(columns) * cell.x + 16,
            height: Double(rows) * cell.y + 8,
            title: "Images",
            description: "\(cells.count) small images"
        )
        for (place, (picture, label)) in cells.enumerated() {
            let corner = SIMD2(Double(place % columns), Double(place / columns)) * cell + 12
            svg.image(address(picture), corner, image, keepsShape: true)
            svg.text(label, corner + SIMD2(image.x / 2, image.y + 14), "soft", .middle)
        }
        return svg
    }

    private static func address(_ jpeg: [UInt8]) -> String { "data:image/jpeg;base64," + Base64.text(jpeg) }
}

/// One small picture of a recording, for lists of many.
package enum RecordingThumbnail {
    private static let pixels = 240

    /// A JPEG of at most 240 pixels, upright; `nil` where the frame has no picture that can be read.
    package static func jpeg(of frame: FrameReference, in session: any Session) -> [UInt8]? {
        let item = PictureItem(frame, seconds: 0, thumbnail: true, pixels: pixels)
        guard item.wantsImage else { return nil }
        let walk = FrameWalk(session, frames: [frame], withPicture: [true])
        return PictureMaker(session).make(item, walk.take(frame).picture).thumbnail
    }

    /// A JPEG of at most 240 pixels of what the depth of some frames shows, coloured by height; `nil` where they have none.
    package static func jpeg(ofDepthIn frames: [FrameReference], _ session: any Session) -> [UInt8]? {
        let maker = PictureMaker(session)
        var (points, way) = (PointCollector(), CameraWay(seconds: 1))
        for var frame in frames {
            frame.hasImage = false
            let optical = Coordinates.mapFromWorld * frame.worldFromCamera * Coordinates.opticalFromCamera.inverse
            way.add(optical.translation, turn: optical.rotation, at: 0)
            let made = maker.make(PictureItem(frame, seconds: 0, cloud: true), nil)
            if let cloud = made.cloud { points.add(cloud, confidence: [], at: 0) }
        }
        points.colourByHeight(below: way.ceilingMetres)
        return CloudSection.thumbnail(points, way, pixels: pixels)
    }
}
