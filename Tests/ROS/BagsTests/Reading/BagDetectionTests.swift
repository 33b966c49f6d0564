import Bags
import Foundation
import SystemPackage
import TestSupport
import Testing

/// What is taken for a bag, sound or not, and what is not.
struct BagDetectionTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(arguments: [
        ["bag_0.db3"], ["bag_0.mcap"], ["bag_0.db3.zstd"], ["bag_0.db3.part"], ["bag_0.db3.part.old"],
        ["metadata.yaml", "bag_3.mcap"],
    ])
    func directoriesWithStorageFilesAreBags(_ names: [String]) throws {
        for name in names { try write("", name) }
        #expect(BagReader.looksLikeBag(directory.path))
        for name in names where name != "metadata.yaml" {
            #expect(BagReader.looksLikeBag(directory.appending(name)))
        }
    }

    @Test(arguments: [
        [], ["metadata.json", "frames.jsonl"], ["metadata.yaml"], ["notes.txt"], ["0001.jpg", "part"],
        ["session.zip"], ["tiles.sqlite"],
    ])
    func otherDirectoriesAreNot(_ names: [String]) throws {
        for name in names { try write("SQLite format 3\0 or anything", name) }
        #expect(!BagReader.looksLikeBag(directory.path))
        for name in names { #expect(!BagReader.looksLikeBag(directory.appending(name))) }
    }

    @Test func metadataOfABagIsABag() throws {
        try write("rosbag2_bagfile_information:\n  version: 5\n", "metadata.yaml")
        #expect(BagReader.looksLikeBag(directory.path))
        #expect(BagReader.looksLikeBag(directory.appending("metadata.yaml")))
    }

    @Test func anMCAPFileIsKnownByItsFirstBytes() throws {
        let magic: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]
        try Data(magic).write(to: URL(fileURLWithPath: directory.appending("recording").string))
        #expect(BagReader.looksLikeBag(directory.appending("recording")))
    }

    @Test func errorsNameWhatABagIs() throws {
        #expect { try BagReader(opening: directory.appending("nothing")) } throws: {
            "\($0)".contains(".db3") && "\($0)".contains(".mcap")
        }
        try write("hello", "notes.txt")
        #expect { try BagReader(opening: directory.appending("notes.txt")) } throws: {
            "\($0)".contains("notes.txt") && "\($0)".contains(".mcap")
        }
        try write("hello", "bag.mcap")
        #expect { try BagReader(opening: directory.appending("bag.mcap")) } throws: { "\($0)".contains("MCAP") }
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory.appending(name).string))
    }
}
