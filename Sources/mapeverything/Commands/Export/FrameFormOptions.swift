import ArgumentParser
import Exports
import Recording

/// How frames are exported; each option for some formats only.
struct FrameFormOptions: ParsableArguments {
    /// The size of images that have to be alike.
    enum Size: ExpressibleByArgument, Hashable {
        case sensor
        case pixels(GridSize)

        init?(argument: String) {
            if argument == "full" {
                self = .sensor
                return
            }
            let sides = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
            guard sides.count == 2, let width = sides[0], let height = sides[1], (16...16_384).contains(width),
                (16...16_384).contains(height)
            else { return nil }
            self = .pixels(GridSize(width: width, height: height))
        }
    }

    @Option(help: "World axes: map (z up, as the bags) or arkit (y up). Default: map; splatam has arkit.")
    var world: ExportWorld?

    @Flag(help: "colmap, gaussian: one camera for all images. Default: each image has its own.")
    var shareIntrinsics = false

    @Flag(
        inversion: .prefixedNo,
        help: "colmap, gaussian: the binary form of the model. Default: above 2000 images; gaussian: on."
    )
    var binary: Bool?

    @Flag(help: "gaussian: cut the images around the principal point, and encode them again.")
    var centrePrincipalPoint = false

    @Option(
        help: ArgumentHelp(
            "splatam, tum-rgbd, euroc, kitti, open3d: size of all images, or full. Default: 640x480.",
            valueName: "widthxheight"
        )
    )
    var size: Size?

    @Flag(help: "euroc: also write Kalibr's camera chain.")
    var kalibr = false

    @Flag(help: "euroc: accept an IMU below 50 Hz.")
    var slowImu = false

    func apply(to plan: inout ExportPlan) {
        plan.world = world ?? .map
        plan.sharesIntrinsics = shareIntrinsics
        plan.isBinary = binary
        plan.centresPrincipalPoint = centrePrincipalPoint
        switch size {
        case .sensor: plan.imageSize = nil
        case .pixels(let size): plan.imageSize = size
        case nil: break
        }
        plan.writesKalibr = kalibr
        plan.acceptsSlowMotion = slowImu
    }
}

extension ExportWorld: ExpressibleByArgument {}
