import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing

@Suite("Definitions in directories")
struct DirectoryTests {
    private func write(_ files: [String: String], in directory: TemporaryDirectory) throws {
        for (path, text) in files {
            let url = URL(filePath: directory.appending(path).string)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: url)
        }
    }

    @Test("packages of a workspace, of a share folder, and a package itself")
    func places() throws {
        let directory = try TemporaryDirectory()
        try write(
            [
                "ws/src/robot_msgs/msg/Arm.msg": "Joint[2] joints\nstd_msgs/Header header\n",
                "ws/src/robot_msgs/msg/Joint.msg": "float64 angle\nhand_msgs/Finger finger\n",
                "share/hand_msgs/msg/Finger.msg": "uint8 index 3\n",
                "flat_msgs/Loose.msg": "robot_msgs/Joint joint\n",
            ],
            in: directory
        )
        let arm = try MessageSchema.loading(
            typeName: "robot_msgs/Arm",
            from: MessageDirectories([directory.appending("ws/src/robot_msgs"), directory.appending("share")])
        )
        #expect(arm.definitionText.contains("MSG: hand_msgs/Finger\nuint8 index 3\n"))
        let inside = try MessageSchema.loading(
            typeName: "robot_msgs/msg/Joint",
            from: MessageDirectories([
                directory.appending("ws/src/robot_msgs/msg"), directory.appending("share/hand_msgs"),
            ])
        )
        #expect(inside.layout.defaultMessage()?["finger"]?["index"] == .unsigned(3))
        let all = try MessageDirectories([directory.path])
        #expect(
            all.typeNames == [
                "flat_msgs/msg/Loose", "hand_msgs/msg/Finger", "robot_msgs/msg/Arm", "robot_msgs/msg/Joint",
            ]
        )
        let loose = try MessageSchema.loading(typeName: "flat_msgs/Loose", from: all)
        #expect(loose.layout.fields.count == 1)
        // A text that names types it does not bring finds them there, too.
        let text = try MessageSchema(typeName: "p/M", definitionText: "robot_msgs/Arm arm", directories: all)
        #expect(text.typeHash.hasPrefix("RIHS01_"))
    }

    @Test("what is not there or not right is named")
    func errors() throws {
        let directory = try TemporaryDirectory()
        try write(["p/msg/Bad.msg": "int32 a\nnonsense\n", "p/msg/Open.msg": "Missing x\n"], in: directory)
        func error(_ name: String, _ path: FilePath) -> SchemaError? {
            #expect(throws: SchemaError.self) {
                try MessageSchema.loading(typeName: name, from: MessageDirectories([path]))
            }
        }
        #expect(error("p/Bad", directory.path)?.line == 2)
        #expect(error("p/Open", directory.path)?.description.contains("Missing") == true)
        #expect(error("p/None", directory.path)?.source == "p/msg/None")
        #expect(error("p/Bad", directory.appending("nowhere"))?.source.hasSuffix("nowhere") == true)
    }
}
