import Foundation
import SystemPackage
import TestSupport
import Testing

/// `export` of what is made of messages and fixes: tables, trajectories, tracks and clouds, of sessions and of bags.
@Suite(.serialized) struct MessageExportTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func text(_ name: String) throws -> String { try String(contentsOfFile: folder(name), encoding: .utf8) }

    private func lines(_ name: String) throws -> [Substring] {
        try text(name).split(separator: "\n").filter { !$0.hasPrefix("#") }
    }

    @Test(
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)),
        arguments: [["--storage", "sqlite3"], ["--storage", "mcap", "--profile", "full"]]
    )
    func tablesHoldWhatTheBagHolds(form: [String]) async throws {
        let session = try await Samples.full.value
        try await Binary.succeed(["bag", session, "-o", folder("bag"), "--profile", "record"] + form)
        try await Command.succeed(["export", folder("bag"), "--to", "csv", "-o", folder("tables")])
        let judge = Repository.path("tools/peers/check_tables.py")
        let verdict = try await PeerPython.runAside([judge, folder("bag"), folder("tables")])
        #expect(verdict.status == 0, "\(verdict.everything)")
        // The judge sees a changed cell.
        try Damage.edit(folder("tables/mapping_pose.csv"), ",map,", ",odom,")
        let wrong = try await PeerPython.runAside([judge, folder("bag"), folder("tables")])
        #expect(wrong.status == 1 && wrong.output.contains("frame_id"), "\(wrong.everything)")
    }

    @Test(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
    func parquetHoldsWhatTheBagHolds() async throws {
        let session = try await Samples.full.value
        try await Command.succeed(["bag", session, "-o", folder("bag"), "--profile", "full"])
        let judge = Repository.path("tools/peers/check_tables.py")
        try await Command.succeed(["export", folder("bag"), "--to", "parquet", "-o", folder("columns")])
        let verdict = try await PeerPython.runAside([judge, folder("bag"), folder("columns")])
        #expect(verdict.status == 0, "\(verdict.everything)")
        // Columns have the types of the fields, and a table of many row groups is read as one.
        try await Command.succeed([
            "sample", "-o", folder("long"), "--imu-rate", "1000", "--duration", "70", "--fps", "1", "--size", "64x48",
        ])
        try await Command.succeed(["export", folder("long"), "--to", "parquet", "-o", folder("rows")])
        try await Command.succeed(["export", folder("long"), "--to", "csv", "-o", folder("lines")])
        let code = """
            import csv, sys, pyarrow as pa, pyarrow.parquet as pq
            file = pq.ParquetFile(sys.argv[1] + "/mapping_imu.parquet")
            assert file.num_row_groups > 1, file.num_row_groups
            assert file.metadata.row_group(0).column(0).compression == "ZSTD"
            table = file.read()
            lines = list(csv.DictReader(open(sys.argv[2] + "/mapping_imu.csv")))
            assert len(lines) == table.num_rows > 66000, (len(lines), table.num_rows)
            for name in table.column_names:
                values, kind = table[name].to_pylist(), table.schema.field(name).type
                cast = {pa.int64(): int, pa.string(): str, pa.float64(): float}[kind]
                assert values == [cast(line[name]) for line in lines], name
            info = pq.read_schema(sys.argv[1] + "/mapping_camera_camera_info.parquet")
            assert info.field("height").type == pa.uint32() and info.field("roi.do_rectify").type == pa.bool_(), info
            """
        let read = try await PeerPython.runAside(["-c", code, folder("rows"), folder("lines")])
        #expect(read.status == 0, "\(read.everything)")
    }

    @Test func aSessionsTablesHaveEveryRecord() async throws {
        let session = try await Samples.full.value
        try await Command.succeed(["export", session, "--to", "csv", "-o", folder("tables")])
        #expect(try lines("tables/mapping_pose.csv").count == 41)
        #expect(try lines("tables/mapping_imu.csv").count > 390)
        let origin = try text("tables/mapeverything.json")
        #expect(origin.contains("\"format\": \"csv\"") && origin.contains("\"session\": \"full\""), "\(origin)")
        let fixes = try lines("tables/mapping_gps_fix.csv")
        #expect(fixes.count == 5 && fixes[0].hasPrefix("log_time_ns,stamp_ns,frame_id,status.status"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("")) == ["tables"])
    }

    @Test(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
    func aBagsPosesAreATrajectory() async throws {
        let session = try await Samples.plain.value
        try await Binary.succeed(["bag", session, "-o", folder("bag"), "--profile", "record"])
        try await Command.succeed(["export", folder("bag"), "--to", "tum", "-o", folder("a.txt")])
        try await Command.succeed(["export", folder("bag"), "--to", "kitti", "-o", folder("b.txt")])
        let code = """
            import sys, numpy as np
            from pathlib import Path
            from evo.tools import file_interface
            from rosbags.highlevel import AnyReader
            from rosbags.typesys import Stores, get_typestore
            tum = file_interface.read_tum_trajectory_file(sys.argv[1])
            kitti = file_interface.read_kitti_poses_file(sys.argv[2])
            with AnyReader([Path(sys.argv[3])], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
                poses = [reader.deserialize(raw, c.msgtype) for c, t, raw in reader.messages()
                         if c.topic == "/mapping/pose"]
            points = np.array([[p.pose.position.x, p.pose.position.y, p.pose.position.z] for p in poses])
            turns = np.array([[p.pose.orientation.w, p.pose.orientation.x, p.pose.orientation.y, p.pose.orientation.z]
                              for p in poses])
            assert np.abs(tum.positions_xyz - points).max() < 1e-12
            assert np.abs(tum.orientations_quat_wxyz - turns).max() < 1e-9
            assert np.abs(kitti.positions_xyz - points).max() < 1e-12
            assert max(np.abs(a[:3, :3] - b[:3, :3]).max() for a, b in zip(kitti.poses_se3, tum.poses_se3)) < 1e-9
            stamps = [p.header.stamp.sec + p.header.stamp.nanosec * 1e-9 for p in poses]
            assert np.abs(tum.timestamps - stamps).max() < 1e-6
            print(len(poses))
            """
        let count = try PeerPython.output(of: code, [folder("a.txt"), folder("b.txt"), folder("bag")])
        #expect(count == "40")
    }

    @Test(
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)),
        arguments: [true, false]
    )
    func tracksAreReadByOthers(ofBag: Bool) async throws {
        let session = try await Samples.full.value
        var input = session
        if ofBag {
            input = folder("bag")
            try await Binary.succeed(["bag", session, "-o", input, "--profile", "record"])
        }
        for form in ["gpx", "kml", "geojson"] {
            try await Command.succeed(["export", input, "--to", form, "-o", folder("a.\(form)")])
        }
        let code = """
            import json, sys, xml.etree.ElementTree as tree
            fixes = [json.loads(line) for line in open(sys.argv[1] + "/gps.jsonl")]
            folder = sys.argv[2]
            gpx = tree.parse(folder + "/a.gpx").getroot()
            name = "{http://www.topografix.com/GPX/1/1}"
            points = gpx.find(name + "trk").iter(name + "trkpt")
            places = [(float(p.get("lat")), float(p.get("lon"))) for p in points]
            kml = tree.parse(folder + "/a.kml").getroot()
            track = kml.iter("{http://www.google.com/kml/ext/2.2}Track").__next__()
            coords = [tuple(map(float, c.text.split())) for c in track.iter("{http://www.google.com/kml/ext/2.2}coord")]
            whens = [w.text for w in track.iter("{http://www.opengis.net/kml/2.2}when")]
            data = json.load(open(folder + "/a.geojson"))
            line = data["features"][0]
            assert line["geometry"]["type"] == "LineString", line
            expected = [(f["latitude"], f["longitude"]) for f in fixes]
            for got in (places, [(c[1], c[0]) for c in coords],
                        [(c[1], c[0]) for c in line["geometry"]["coordinates"]]):
                assert len(got) == len(expected), (len(got), len(expected))
                assert max(abs(a - b) for p, q in zip(got, expected) for a, b in zip(p, q)) < 1e-12
            assert len(whens) == len(coords) and whens == sorted(whens) and whens[0].endswith("Z")
            print(len(fixes), len(data["features"]))
            """
        let found = try PeerPython.output(of: code, [session, folder("")])
        #expect(found.hasPrefix("4 "))
    }

    @Test(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
    func aBagsCloudsAreFiles() async throws {
        let session = try await Samples.plain.value
        try await Binary.succeed(["bag", session, "-o", folder("bag"), "--profile", "record"])
        try await Command.succeed(["export", folder("bag"), "--to", "ply", "-o", folder("clouds")])
        let code = """
            import sys, numpy as np
            from pathlib import Path
            from plyfile import PlyData
            from rosbags.highlevel import AnyReader
            from rosbags.typesys import Stores, get_typestore
            files = sorted(Path(sys.argv[1]).glob("*.ply"))
            with AnyReader([Path(sys.argv[2])], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
                clouds = [reader.deserialize(raw, c.msgtype) for c, t, raw in reader.messages()
                          if c.msgtype.endswith("PointCloud2")]
            assert len(files) == len(clouds)
            for file, cloud in zip(files, clouds):
                data = np.frombuffer(bytes(cloud.data), np.uint8).reshape(-1, cloud.point_step)
                vertex = PlyData.read(file)["vertex"]
                xyz = np.column_stack([vertex[k] for k in "xyz"])
                rgb = np.column_stack([vertex[k] for k in ("red", "green", "blue")])
                assert (xyz == data[:, :12].copy().view("<f4").reshape(-1, 3)).all()
                assert (rgb == data[:, 14:11:-1]).all()
            print(len(files))
            """
        let count = try PeerPython.output(of: code, [folder("clouds"), folder("bag")])
        #expect((Int(count) ?? 0) > 10)
        #expect(try lines("clouds/times.txt").count == Int(count))
    }

    @Test func whatABagCannotBeIsSaid() async throws {
        let session = try await Samples.plain.value
        try await Binary.succeed([
            "bag", session, "-o", folder("bag"), "--profile", "record", "--topics", "/mapping/imu",
        ])
        try await Command.run(["export", folder("bag"), "--to", "colmap", "-o", folder("a")])
            .expectError(65, naming: "/mapping/pose (geometry_msgs/msg/PoseStamped)", "found /mapping/imu")
        try await Command.run(["export", folder("bag"), "--to", "tum", "-o", folder("a")])
            .expectError(65, naming: "PoseStamped", "none in the bag")
        try await Command.run(["export", folder("bag"), "--to", "csv", "-o", folder("a"), "--every", "2"])
            .expectError(2, naming: "--every")
        for option in [
            ["--voxel-size", "0.1"], ["--min-confidence", "2"], ["--world", "arkit"], ["--geoid", "a"],
            ["--size", "full"],
            ["-j", "2"], ["--keep-limited-tracking"], ["--epoch", "now"],
        ] {
            try await Command.run(["export", folder("bag"), "--to", "csv", "-o", folder("a")] + option)
                .expectError(2, naming: option[0], "a session")
        }
        try await Command.run(["export", session, "--to", "gpx", "-o", folder("a")]).expectError(
            65,
            naming: "GPS fixes"
        )
        try await Command.run(["export", session, "--to", "csv", "-o", folder("a"), "--topic", "/x"])
            .expectError(2, naming: "--topic")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("")) == ["bag"])
    }
}
