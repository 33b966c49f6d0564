package import Maps
package import Platform
import Recording
import Replay
import Sessions

/// Writes what a format says of the views; images and depth are written by the walk.
///
/// One writer a format. Views come in the order of their numbers, one at a time.
package protocol ExportWriter: AnyObject {
    func add(_ view: ExportedView) throws
    /// Writes what follows the last view.
    ///
    /// - Parameter surface: in the axes of the export's world; empty for formats without points.
    func finish(_ surface: SurfaceMesh) throws
    /// The cameras of some views as a reader of the written files gets them, by number.
    func readBack(_ numbers: Set<Int>) throws -> [Int: ReadView]
    /// The next commands for a user, and notes; lines of the file README.txt.
    var readme: [String] { get }
}

/// The state that all writers of one export share; everything in it is known before the first view.
package final class ExportContext {
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

    package func file(_ name: String) throws -> OutputFile { try OutputFile(creating: folder.file(name)) }

    package func write(_ text: String, to name: String) throws {
        try OutputFile.write(Array(text.utf8), to: folder.file(name))
    }

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
}
