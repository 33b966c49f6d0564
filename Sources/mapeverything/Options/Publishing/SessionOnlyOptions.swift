import Replay

/// Options of one command that mean nothing for some input, or beside others: each list names all of them.
extension PublishingOptions {
    /// How messages are made of a session; a bag has messages.
    var forSessions: GivenOptions {
        GivenOptions(
            expected: "a session to make messages of",
            [("--profile", profile != nil), ("--frames", frames != nil)] + recording.forClock + recording.forContent + [
                ("--keep-limited-tracking", keepLimitedTracking),
                ("--calibration", calibration != nil), ("-j", workers.isGiven), ("--tag-map", tags.map != nil),
                ("--tag-family", tags.family != nil),
            ]
        ) + forFixes
    }

    /// What places the map on the Earth, which takes a fix.
    var forFixes: GivenOptions {
        GivenOptions(
            expected: "GPS fixes",
            [("--heading", heading != nil), ("--geoid", geoid.file != nil), ("--georeference", georeference != nil)]
        )
    }

    /// Which part of the input is published, and how: `inspect` of a bag shows all of it as it is.
    var forPublishing: GivenOptions {
        GivenOptions(
            expected: "a session, of which it shows what would be published",
            [
                ("--topics", !selection.topics.isEmpty), ("--exclude-topics", !selection.excludeTopics.isEmpty),
                ("--regex", selection.regex != nil), ("--exclude-regex", selection.excludeRegex != nil),
                ("--remap", !selection.remap.isEmpty), ("--namespace", namespace != nil),
                ("--start", span.start != nil), ("--end", span.end != nil), ("--duration", span.duration != nil),
                ("--stamp", stamp != nil), ("--strict", reporting.strict),
                ("--accept-damage", recording.acceptDamage),
            ]
        )
    }
}

extension CloudOptions {
    /// How clouds are made of a session; a bag has clouds.
    var forSessions: GivenOptions {
        GivenOptions(
            expected: "a session to make clouds of",
            [
                ("--min-confidence", depth.minConfidence != nil), ("--min-depth", depth.minDepth != nil),
                ("--max-depth", depth.maxDepth != nil), ("--voxel-size", voxelSize != nil),
                ("--voxel-point", voxelPoint != nil), ("--outlier", outlier != nil),
                ("--outlier-voxel", outlierVoxel != nil), ("--outlier-neighbours", outlierNeighbours != nil),
                ("--edge-filter", depth.edgeFilter != nil), ("--colour", colour != nil),
            ]
        )
    }
}

extension UnknownTypeOptions {
    /// A session's types are known.
    var forBags: GivenOptions {
        GivenOptions(
            expected: "a bag",
            [("--type", !types.isEmpty), ("--skip-unknown", skipUnknown)]
        ) + messagePath.forBags
    }
}

extension MessagePathOptions {
    /// A session's messages are all known.
    var forBags: GivenOptions {
        GivenOptions(expected: "a bag", [("--msg-path", !folders.isEmpty)])
    }
}

extension EchoOptions {
    /// A session has no messages yet.
    var forBags: GivenOptions {
        GivenOptions(expected: "a bag, which has messages", [("--echo", topic != nil)]) + forEcho
            + messagePath.forBags
    }

    /// How messages are shown, where any are.
    var forEcho: GivenOptions {
        GivenOptions(
            expected: "--echo TOPIC beside it",
            [("-n", count != nil), ("--full", full)]
        )
    }
}
