package import Maps
package import Messages
package import Perception

/// Which topics are published, at what rates, by which conventions, and how clouds are made.
package struct Profile: Sendable {
    package var name: String
    package var conventions: Conventions
    /// Enabled topics, each with its rate where that is not the catalogue's.
    package var topics: [TopicKind: TopicSetting]
    package var clouds: CloudParameters
    /// How the map of the map topics is made; its depth limits are those of the clouds.
    package var map = Profile.defaultMap
    package var remaps: [TopicRemap] = []
    /// True where frames are published whole: depth images are of the frames whose images are published, and tags are looked
    /// for where a map of them is given.
    package var keepsFramesTogether = false

    package struct TopicSetting: Sendable, Hashable {
        /// `nil` for the catalogue's rate; 0 for every record.
        package var rateHertz: Double?

        package init(rateHertz: Double? = nil) {
            self.rateHertz = rateHertz
        }
    }

    /// The profile of a name; `nil` where there is none of that name.
    package static func named(_ name: String) -> Profile? {
        switch name {
        case "record":
            Profile(name: name, conventions: .ros, kinds: entries(of: .record))
        case "app":
            Profile(
                name: name,
                conventions: .app,
                kinds: entries(of: .app),
                rates: [.pose: 0],
                clouds: Profile.appClouds
            )
        case "full":
            // Not the tags: searching images takes longer than all else.
            Profile(name: name, conventions: .ros, kinds: entries(of: .full))
        case "streams": streams
        case "data": data
        default: nil
        }
    }

    private static func entries(of profile: SmallestProfile) -> [CatalogueEntry] {
        Catalogue.entries.filter { $0.isIn(profile) }
    }

    /// Everything that is numbers in a few columns, every record of it: for tables.
    package static var tables: Profile {
        let kinds: Set<TopicKind> = [
            .session, .pose, .poseWithCovariance, .odometry, .imu, .locationFix, .locationMetadata, .locationOdometry,
            .cameraInfo, .relativeCalibration, .radio, .indoorLocalization,
        ]
        return Profile(
            name: "tables",
            conventions: .ros,
            kinds: Catalogue.entries.filter { kinds.contains($0.kind) },
            rates: Dictionary(uniqueKeysWithValues: kinds.map { ($0, 0) })
        )
    }

    /// The streams of a phone: poses, motion, fixes, images and clouds at a phone's own rates.
    private static var streams: Profile {
        let rates: [TopicKind: Double] = [
            .pose: 60, .imu: 200, .cameraImage: 30, .cameraInfo: 30, .lidarCloud: 10, .locationFix: 0,
            .locationMetadata: 0, .transforms: 0, .staticTransforms: 0,
        ]
        return Profile(
            name: "streams",
            conventions: .ros,
            kinds: Catalogue.entries.filter { rates[$0.kind] != nil },
            rates: rates
        )
    }

    /// The content of the recording, for SLAM, mapping and learning: every record of every stream, images and depth of the same
    /// frames up to 10 Hz, and clouds of 2 cm in the sensor's frame.
    private static var data: Profile {
        let whole: [TopicKind] = [
            .pose, .poseWithCovariance, .odometry, .imu, .locationFix, .locationMetadata, .locationOdometry, .radio,
            .indoorLocalization,
        ]
        var clouds = CloudParameters()
        clouds.voxelSizeMetres = 0.02
        var profile = Profile(
            name: "data",
            conventions: .ros,
            kinds: entries(of: .data),
            rates: Dictionary(uniqueKeysWithValues: whole.map { ($0, 0) }),
            clouds: clouds
        )
        profile.conventions.cloudFrame = .sensor
        profile.keepsFramesTogether = true
        profile.limitFrames(toHertz: 10)
        return profile
    }

    package static let names = ["data", "record", "app", "full", "streams"]

    /// Sets the ceiling of images and depth images.
    ///
    /// - Parameter rate: 0 for every frame.
    package mutating func limitFrames(toHertz rate: Double) {
        let kinds = TopicKind.ofDenseDepth.union([
            .cameraImage, .cameraInfo, .depthImage, .compressedDepth, .depthConfidence, .depthCameraInfo,
        ])
        for kind in kinds where topics[kind] != nil { topics[kind] = TopicSetting(rateHertz: rate) }
    }

    /// Adds dense depth, at the rate of the recorded one.
    package mutating func addDenseDepth() {
        let setting = topics[.depthImage] ?? TopicSetting()
        // Compressed depth is published only where it is asked for.
        let kinds = TopicKind.ofDenseDepth.subtracting([.compressedDenseDepth])
        for kind in kinds where topics[kind] == nil { topics[kind] = setting }
    }

    /// Adds the tags to what is published whole.
    package mutating func addTags() {
        if keepsFramesTogether, topics[.tags] == nil { topics[.tags] = TopicSetting() }
    }

    /// Coarser than a map in a file: all of it has to go through a connection again and again.
    private static var defaultMap: MapParameters {
        var parameters = MapParameters()
        parameters.voxelSizeMetres = 0.04
        parameters.maximumBytes = 256_000_000
        return parameters
    }

    /// The app publishes its clouds without the outlier filter.
    private static var appClouds: CloudParameters {
        var parameters = CloudParameters.app
        parameters.outlierFilter = .off
        return parameters
    }

    private init(
        name: String,
        conventions: Conventions,
        kinds: [CatalogueEntry],
        rates: [TopicKind: Double] = [:],
        clouds: CloudParameters = CloudParameters()
    ) {
        self.name = name
        self.conventions = conventions
        self.clouds = clouds
        topics = [:]
        for entry in kinds { topics[entry.kind] = TopicSetting(rateHertz: rates[entry.kind]) }
    }

    /// Which axes and frame names are published.
    package var axes: FramePolicy {
        get { conventions.axes }
        set { conventions.axes = newValue }
    }

    /// A topic's ceiling in hertz; `nil` for every record.
    package func rateHertz(_ kind: TopicKind) -> Double? {
        guard let rate = topics[kind]?.rateHertz ?? Catalogue.entry(kind).rateHertz, rate > 0 else { return nil }
        return rate
    }
}

/// Why a profile file cannot be used.
package struct ProfileError: Error, Sendable, CustomStringConvertible {
    package var file: String
    package var key: String
    package var expected: String
    package var found: String

    package var description: String {
        "profile: \(file)\(key.isEmpty ? "" : ": \(key)"): expected \(expected), found \(found)"
    }
}
