import Foundation
import TestSupport
import Testing

/// Every form of bag becomes every other.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct ConvertFormsTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// One of each storage, serialization and compression; what a form keeps of a bag's origin is the same in all.
    private static let sources = ["sqlite3 of any", "mcap of jazzy", "rosbridge_json", "files of zstd", "mcap of lz4"]

    @Test func everyFormOfAnyFormHasTheSameBytes() async throws {
        for form in BagForm.all where Self.sources.contains(form.name) {
            try SampleBags.makeFolder(folder(form.name))
            try await SampleBags.write(folder("\(form.name)/bag"), form.options)
        }
        var contents: [[String: Data]] = []
        for form in BagForm.all {
            for source in Self.sources {
                let place = folder("\(source) to \(form.name)")
                try SampleBags.makeFolder(place)
                // The name is in the bag.
                let options = form.options + ["--chunk-seconds", "1"]
                try await SampleBags.convert([folder("\(source)/bag")], to: "\(place)/bag", options)
                contents.append(try FileTree.contents("\(place)/bag"))
            }
            let first = contents[0]
            #expect(first.count == 3, "\(first.keys)")
            for (source, other) in zip(Self.sources, contents) {
                #expect(FileTree.differences(first, other) == [], "from \(source) to \(form.name)")
            }
            contents = []
        }
        // So one of each form stands for all.
        try await judge { folder("rosbridge_json to \($0.name)/bag") }
    }

    @Test func bagWritesEveryForm() async throws {
        for form in BagForm.all {
            try SampleBags.makeFolder(folder(form.name))
            try await SampleBags.write(folder("\(form.name)/bag"), form.options)
        }
        try await judge { folder("\($0.name)/bag") }
    }

    @Test(arguments: ["sqlite3 of humble", "mcap of humble", "messages of zstd", "mcap of zstd"])
    func otherFormsConvertToo(name: String) async throws {
        let form = try #require(BagForm.all.first { $0.name == name })
        let bag = folder("bag"), direct = folder("direct")
        try await SampleBags.write(bag, form.options)
        try await SampleBags.write(direct)
        for target in [BagForm.any, .mcap] {
            try await SampleBags.convert([bag], to: folder(target.name), target.options)
        }
        let readings = try await PeerReading.of([direct, folder("any"), folder("mcap")])
        let expected = try #require(readings[direct]?.agreed)
        #expect(expected.count == SampleBags.count)
        for target in ["any", "mcap"] { #expect(readings[folder(target)]?.agreed == expected) }
    }

    /// Asks the judges, rosbags, mcap and mcap_ros2 about a bag in every form.
    private func judge(_ bag: (BagForm) -> String) async throws {
        let plain = bag(try #require(BagForm.all.first { $0.name == "sqlite3 of any" }))
        var judgements = Judgements()
        for form in BagForm.all {
            if form.isMCAP {
                let files = try SampleBags.files(bag(form))
                for file in files { judgements.addMCAP(file, comparing: files.count == 1 ? plain : nil) }
            } else if !form.isPacked {
                judgements.addBag(bag(form), as: form.readers)
            }
        }
        try await judgements.judge()
        let readings = try await PeerReading.of(BagForm.all.map(bag))
        let expected = try #require(readings[plain]?.agreed)
        #expect(expected.count >= SampleBags.count)
        for form in BagForm.all where !form.isJSON {
            let reading = try #require(readings[bag(form)])
            #expect(reading.rosbags == expected, "\(form.name)")
            #expect(form.name == "messages of zstd" || reading.files == expected, "\(form.name)")
            #expect(reading.decoded == [form.isMCAP ? "\(expected.count)" : "0"], "\(form.name)")
        }
    }
}
