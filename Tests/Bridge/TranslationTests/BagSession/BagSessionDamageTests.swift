import Bags
import Messages
import Platform
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing
import Translation

/// Bags with damage: counted by topic and row, and never the end of the program.
@Suite struct BagSessionDamageTests {
    @Test(arguments: [BagOptions.Storage.sqlite3, .mcap])
    func messagesThatDoNotDecodeAreCounted(_ storage: BagOptions.Storage) async throws {
        let bag = try await BagOfMessages(storage: storage)
        for place in 0..<3 {
            try await bag.writePose(at: place)
            try await bag.writeCamera(at: place)
        }
        let junk: [UInt8] = [0, 1, 0, 0, 1]
        try await bag.write("/mapping/pose", PoseStamped.self, bytes: junk, at: 3)
        try await bag.write("/mapping/camera/image/compressed", CompressedImage.self, bytes: junk, at: 1)
        try await bag.write("/mapping/imu", Imu.self, bytes: junk, at: 1)
        var imu = Imu()
        imu.header = BagOfMessages.header(1, FrameName.imu)
        imu.linearAcceleration.x = .nan
        try await bag.write("/mapping/imu", imu, at: 1)
        imu.header = BagOfMessages.header(2, FrameName.imu)
        imu.linearAcceleration.x = 0
        try await bag.write("/mapping/imu", imu, at: 2)
        // The header is whole, the picture is not.
        var image = CompressedImage()
        image.header = BagOfMessages.header(2)
        image.format = "jpeg"
        image.data = [1, 2, 3]
        try await bag.write("/mapping/camera/image/compressed", image, at: 2)
        var depth = Image()
        depth.header = BagOfMessages.header(1)
        (depth.encoding, depth.width, depth.height, depth.step) = ("32FC1", 4_000_000_000, 4_000_000_000, 4)
        depth.data = [0, 0, 0, 0]
        try await bag.write("/mapping/depth/image_raw", depth, at: 1)
        depth.header = BagOfMessages.header(2)
        (depth.width, depth.height) = (16_000, 16_000)
        try await bag.write("/mapping/depth/image_raw", depth, at: 2)

        let session = try await bag.open()
        #expect(session.diagnostics.count(of: .badTransform) == 1)
        #expect(session.diagnostics.count(of: .brokenImage) == 1)
        #expect(session.diagnostics.count(of: .brokenDepth) == 1)
        let file = storage == .mcap ? "bag_0.mcap, offset" : "bag_0.db3, row"
        let texts = session.diagnostics.entries.flatMap(\.examples).map(\.description)
        #expect(texts.contains { $0.hasPrefix("/mapping/pose: \(file)") && $0.contains("PoseStamped that decodes") })
        #expect(texts.contains { $0.hasPrefix("/mapping/camera/image/compressed: \(file)") })

        let frames = try BaggedSample.frames(session)
        #expect(frames.count == 3 && frames.filter(\.hasImage).count == 1)
        let loader = session.makeLoader()
        var problems = Diagnostics()
        #expect(loader.image(of: frames[2], &problems) == nil)
        #expect(loader.depth(of: frames[2], &problems) == nil)
        #expect(problems.count(of: .brokenImage) == 1 && problems.count(of: .brokenDepth) == 1)

        let cursor = try session.records(RecordRequest(streams: [.motion]))
        var samples = 0
        while try cursor.next() != nil { samples += 1 }
        #expect(samples == 1 && cursor.diagnostics.count(of: .badMotionSample) == 2)
    }

    @Test func impossibleNumbersAreRefused() async throws {
        let bag = try await BagOfMessages()
        try await bag.writeCamera(at: 0)
        try await bag.writePose(at: 0)
        for (place, x) in [Double.nan, .infinity, 1e300].enumerated() { try await bag.writePose(at: place + 1, x: x) }
        var info = CameraInfo()
        info.header = BagOfMessages.header(1)
        (info.width, info.height) = (.max, .max)
        try await bag.write("/mapping/camera/camera_info", info, at: 1)
        var fix = NavSatFix()
        fix.header = BagOfMessages.header(0, FrameName.gps)
        fix.latitude = .nan
        try await bag.write("/mapping/gps/fix", fix, at: 0)
        fix.latitude = 48
        fix.altitude = .nan
        fix.positionCovariance[0] = -1
        fix.positionCovarianceType = NavSatFix.covarianceDiagonalKnown
        try await bag.write("/mapping/gps/fix", fix, at: 1)
        let session = try await bag.open()
        #expect(try BaggedSample.frames(session).count == 1)
        #expect(session.diagnostics.count(of: .badTransform) == 3)
        #expect(session.diagnostics.count(of: .badIntrinsics) == 1)
        #expect(session.diagnostics.count(of: .badLocation) == 1)
        let fixes = try BaggedSample.fixes(session)
        #expect(fixes.count <= 1 && fixes.allSatisfy { $0.horizontalAccuracyMetres == nil && $0.altitudeMetres == nil })
    }

    /// Nothing but poses that do not read.
    @Test func noPoseIsAnError() async throws {
        let bag = try await BagOfMessages()
        try await bag.writeCamera(at: 0)
        try await bag.writePose(at: 0, x: .nan)
        let error = await #expect(throws: SessionError.self) { try await bag.open() }
        #expect(error?.description.contains("/mapping/pose") ?? false)
    }

    @Test func noCameraIsAnError() async throws {
        let bag = try await BagOfMessages()
        try await bag.writePose(at: 0)
        var info = CameraInfo()
        info.header = BagOfMessages.header(0)
        try await bag.write("/mapping/camera/camera_info", info, at: 0)
        let error = await #expect(throws: BagSessionError.self) { try await bag.open() }
        #expect(error?.description.contains("usable CameraInfo") ?? false)
    }

    /// What is before the cut is read, the rest is counted.
    @Test(arguments: [BagOptions.Storage.sqlite3, .mcap])
    func cutFilesAreReadToTheCut(_ storage: BagOptions.Storage) async throws {
        let bagged = try await BaggedSample(profile: "data", storage: storage)
        let file = bagged.bag.appending(storage == .mcap ? "bag_0.mcap" : "bag_0.db3")
        let descriptor = try FileDescriptor.open(file, .readWrite)
        let size = try descriptor.seek(offset: 0, from: .end)
        try descriptor.resize(to: size * 6 / 10)
        try descriptor.close()
        let session = try bagged.open()
        let frames = try BaggedSample.frames(session)
        #expect(frames.count > 10 && frames.count < 60, "\(frames.count)")
        #expect(!session.diagnostics.isEmpty)
        let recorded = try bagged.recordedFrames()
        let (loader, original) = (session.makeLoader(), bagged.recorded.makeLoader())
        var (problems, ignored) = (Diagnostics(), Diagnostics())
        var images = 0
        for frame in frames where frame.hasImage {
            guard let image = loader.image(of: frame, &problems) else { continue }
            images += 1
            let other = try #require(recorded[frame.time.nanoseconds])
            #expect(image.bytes == original.image(of: other, &ignored)?.bytes)
        }
        #expect(images > 3)
    }

    /// Files with bytes changed at random give a session or an error, and all of it can be loaded.
    @Test(arguments: [BagOptions.Storage.sqlite3, .mcap])
    func changedBytesNeverEndTheProgram(_ storage: BagOptions.Storage) async throws {
        var options = Sample.everything
        options.durationSeconds = 0.4
        let bagged = try await BaggedSample(options, profile: "data", storage: storage) { plan in
            plan.selection.excluded = ["/mapping/pointcloud/lidar"]
        }
        let file = bagged.bag.appending(storage == .mcap ? "bag_0.mcap" : "bag_0.db3")
        let descriptor = try FileDescriptor.open(file, .readWrite)
        let size = Int(try descriptor.seek(offset: 0, from: .end))
        var generator = SeededRandomNumbers(seed: 5)
        var opened = 0
        for _ in 0..<60 {
            var changes: [(offset: Int64, old: UInt8)] = []
            for _ in 0..<20 {
                let offset = Int64(Int.random(in: 100..<size, using: &generator))
                var old: [UInt8] = [0]
                _ = try old.withUnsafeMutableBytes { try descriptor.read(fromAbsoluteOffset: offset, into: $0) }
                let new = [UInt8.random(in: 0...255, using: &generator)]
                _ = try new.withUnsafeBytes { try descriptor.write(toAbsoluteOffset: offset, $0) }
                changes.append((offset, old[0]))
            }
            if let session = try? bagged.open() {
                opened += 1
                var problems = Diagnostics()
                let loader = session.makeLoader()
                for frame in try BaggedSample.frames(session) {
                    _ = loader.image(of: frame, &problems)
                    _ = loader.depth(of: frame, &problems)
                }
                _ = try BaggedSample.motion(session)
            }
            for change in changes.reversed() {
                _ = try [change.old].withUnsafeBytes { try descriptor.write(toAbsoluteOffset: change.offset, $0) }
            }
        }
        try descriptor.close()
        #expect(opened > 10)
        #expect(try bagged.open().diagnostics.isEmpty)
    }
}
