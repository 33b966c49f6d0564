import Recording

/// Streams that should be there and are not.
extension LoggerSession {
    /// Streams that are there under their names, but are nothing that can be read as a file.
    static func irregularFiles(_ files: any SessionFiles) -> Diagnostics {
        var diagnostics = Diagnostics()
        let names = [LoggerMetadata.file] + SampleStream.all.map(\.file) + [TileManifest.file]
        for name in names {
            guard let found = files.irregular(name) else { continue }
            diagnostics.record(Problem(.unreadableFile, file: name, expected: "a regular file", found: found))
        }
        return diagnostics
    }

    /// Files of streams that are there without a sample.
    static func emptyStreams(
        _ files: any SessionFiles,
        index: LoggerIndex,
        _ summary: SessionSummary
    ) -> Diagnostics {
        var diagnostics = Diagnostics()
        for stream in SampleStream.all where files.size(of: stream.file) != nil {
            var reader = SampleReader(stream, files)
            guard reader.next() == nil, reader.diagnostics.isEmpty else { continue }
            let motion = [SampleStream.motion, .motionCSV].map(\.file)
            let isUnused = motion.contains(stream.file) && summary.motionSource == .samplesFile
            let twins = motion.contains(stream.file) && !isUnused ? motion.filter { $0 != stream.file } : []
            let lines = !twins.isEmpty && index.framesHaveMotion ? [FrameLine.file] : []
            diagnostics.record(files.emptyStream(stream.file, twins: twins + lines))
        }
        return diagnostics
    }

    /// What metadata.json says of all frames, and of which there is nothing; what single lines say is counted with them.
    static func missingStreams(index: LoggerIndex, _ summary: inout SessionSummary) -> Diagnostics {
        var diagnostics = Diagnostics()
        summary.payloads = index.payloads(promisesDepth: summary.metadataDepthSize != nil)
        func record(_ what: String, _ field: String) {
            diagnostics.record(
                Problem(.streamMissing, file: what, expected: "files, as \(field) of metadata.json says", found: "none")
            )
        }
        if let depth = summary.payloads[.depth], depth.promise == .any, depth.isAbsent {
            record(PayloadKind.depth.rawValue, "depthResolution")
            summary.payloads[.depth]?.isSaid = true
        }
        if summary.metadataRelativeDepthSize != nil, !summary.hasRelativeDepth, index.summary.relativeDepthSize == nil {
            record("relative_depth", "relative_depth")
        }
        return diagnostics
    }
}
