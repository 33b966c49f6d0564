import Earth
import Files
import Maps
import Recording
import Replay
import Sessions

/// Writes what a format says of the views; images and depth are written by the walk.
///
/// One writer a format. Views come in the order of their numbers, one at a time.
protocol ExportWriter: AnyObject {
    func add(_ view: ExportedView) throws
    /// Writes what follows the last view.
    ///
    /// - Parameter surface: in the axes of the export's world; empty for formats without points.
    func finish(_ surface: SurfaceMesh) throws
    /// The cameras of some views as a reader of the written files gets them, by number.
    func readBack(_ numbers: Set<Int>) throws -> [Int: ReadView]
    /// What a user types next, and what to know; lines of the file README.txt.
    var readme: [String] { get }
}

/// What all writers of one export share; everything in it is known before the first view.
final class ExportContext {
    let folder: OutputFolder
    let plan: ExportPlan
    let census: FrameCensus
    let session: any Session
    let span: ClosedRange<Timestamp>
    let anchor: EpochAnchor
    let georeference: Georeference

    init(
        _ folder: OutputFolder,
        _ plan: ExportPlan,
        _ census: FrameCensus,
        _ session: any Session,
        span: ClosedRange<Timestamp>,
        anchor: EpochAnchor,
        georeference: Georeference
    ) {
        self.folder = folder
        self.plan = plan
        self.census = census
        self.session = session
        self.span = span
        self.anchor = anchor
        self.georeference = georeference
    }

    /// The size of images that have to be alike.
    var imageSize: GridSize { plan.sharedSize(census) }

    /// The one camera of formats that have no more, of the sensor's grid at ``imageSize``.
    var sharedCamera: CameraIntrinsics { plan.sharedCamera(census) }

    func file(_ name: String) throws -> OutputFile { try OutputFile(creating: folder.file(name)) }

    func write(_ text: String, to name: String) throws { try OutputFile.write(Array(text.utf8), to: folder.file(name)) }

    /// The lines of a file that was written, without comments and empty lines.
    func lines(_ name: String) throws -> WrittenLines { try WrittenLines(folder.file(name)) }
}

extension ExportPlan {
    /// The size of images that have to be alike: what is asked for, but never larger than the sensor's.
    func sharedSize(_ census: FrameCensus) -> GridSize {
        let sensor = GridSize(width: census.meanIntrinsics.width, height: census.meanIntrinsics.height)
        guard let imageSize, imageSize.width <= sensor.width, imageSize.height <= sensor.height else { return sensor }
        return imageSize
    }

    /// The camera that all images are brought to, where they have to be alike: the mean of all at one size.
    func sharedCamera(_ census: FrameCensus) -> CameraIntrinsics {
        let size = sharedSize(census)
        return census.meanIntrinsics.scaled(toWidth: size.width, height: size.height)
    }

    /// Which files the format has for each frame.
    func layout(_ census: FrameCensus) -> ViewLayout {
        var layout = ViewLayout()
        let camera = sharedCamera(census)
        switch format {
        case .colmap, .ngp: layout.image = ("images", .stored)
        case .gaussian:
            let isOne = sharesIntrinsics
            layout.image = (
                "images",
                !centresPrincipalPoint
                    ? .stored : isOne ? .turnedJPEG(census.centredCamera) : .cut(census.centredCamera.size)
            )
        case .nerfstudio:
            layout.image = ("images", .stored)
            if census.withDepth > 0 { layout.depth = ("depth", .turned(unitsPerMetre: 1000)) }
        case .splatam:
            layout.image = ("rgb", .sensorPNG(camera))
            layout.depth = ("depth", .sensor(unitsPerMetre: 6553.5, camera))
            layout.name = .plain
        case .tum: break
        case .tumRGBD:
            layout.image = ("rgb", .sensorPNG(camera))
            layout.depth = ("depth", .sensor(unitsPerMetre: 5000, camera))
        case .euroc:
            layout.image = ("mav0/cam0/data", .sensorPNG(camera))
            layout.name = .time
        case .kitti:
            layout.image = ("sequences/00/image_2", .sensorPNG(camera))
            layout.depth = ("sequences/00/velodyne", .points)
            layout.name = .padded
        case .open3d:
            layout.image = ("color", .sensorJPEG(camera))
            layout.depth = ("depth", .sensor(unitsPerMetre: 1000, camera))
            layout.name = .padded
        }
        layout.leavesOutWithoutDepth = format.needsDepth
        return layout
    }
}
