import Translation

extension FuzzTarget {
    /// A profile in YAML.
    static let profile = FuzzTarget(
        name: "profile",
        seeds: {
            [
                """
                base: record
                frames: ros
                topics:
                  /mapping/imu: {enabled: true, rate: 100}
                  /mapping/pointcloud/lidar: {rate: 10}
                pointcloud: {voxel_size: 0.05, max_depth: 4.0, outlier: radius}
                remap: {/mapping/imu: /imu/data}
                """,
                "base: full\ntopics: {}\n",
            ].map { Array($0.utf8) }
        },
        dictionary: [
            "base: ", "frames: ", "topics:", "pointcloud: ", "remap: ", "name: ", "enabled: false", "rate: ",
            "voxel_size: ",
            "min_depth: ", ".nan", ".inf", "-1", "1e400", "&a ", "*a", "? ", "!!binary ", "|\n", "'", "\"", "{", "}",
        ],
        run: { input in
            guard let profile = try? ProfileFile.parse(String(decoding: input, as: UTF8.self), file: "x") else {
                return
            }
            for kind in profile.topics.keys {
                guard let rate = profile.rateHertz(kind) else { continue }
                require(rate.isFinite && rate > 0, "a rate of \(rate)")
            }
        }
    )
}
