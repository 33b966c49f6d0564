import Bags
import Testing

/// Which files of a directory are those of the bag.
@Suite("The files of a bag")
struct BagFileSelectionTests {
    private func selection(_ names: [String], _ listed: [String]?) -> BagFileSelection {
        BagFileSelection(names: names + ["metadata.yaml", "notes.txt"], listed: listed)
    }

    @Test("what is listed is the bag, in the order of the list or of its numbers")
    func listed() {
        let names = ["b_0.db3", "b_1.db3", "b_10.db3", "b_2.db3", "other.mcap", "b_3.db3.part"]
        let found = selection(names, ["b_0.db3", "b_1.db3", "b_1.db3", "b_10.db3", "b_2.db3"])
        #expect(found.files == ["b_0.db3", "b_1.db3", "b_2.db3", "b_10.db3"])
        #expect(found.unlisted == ["other.mcap"] && found.twins == [] && found.missing == [])
        #expect(found.unfinished == ["b_3.db3.part"] && found.isListed)
        #expect(selection(names, ["b_2.db3", "b_0.db3"]).files == ["b_2.db3", "b_0.db3"])
    }

    @Test("the unpacked file that a player leaves beside a packed one is not part of the bag")
    func twins() {
        let names = ["rec_0.db3", "rec_0.db3.zstd", "rec_1.db3.zstd", "rec_2.db3"]
        let found = selection(names, ["rec_0.db3.zstd", "rec_1.db3.zstd"])
        #expect(found.files == ["rec_0.db3.zstd", "rec_1.db3.zstd"])
        #expect(found.twins == ["rec_0.db3"] && found.unlisted == ["rec_2.db3"])
        // The other way round too, and where only the other form is there.
        #expect(selection(names, ["rec_0.db3"]).twins == ["rec_0.db3.zstd"])
        let packed = selection(names, ["rec_0.db3", "rec_1.db3", "rec_2.db3"])
        #expect(packed.files == ["rec_0.db3", "rec_1.db3.zstd", "rec_2.db3"] && packed.missing == [])
    }

    @Test("without a list each file counts once")
    func unlisted() {
        let names = ["rec_0.db3", "rec_0.db3.zstd", "rec_10.db3", "rec_2.db3.zstd"]
        for listed in [nil, []] as [[String]?] {
            let found = selection(names, listed)
            #expect(found.files == ["rec_0.db3", "rec_2.db3.zstd", "rec_10.db3"])
            #expect(found.twins == ["rec_0.db3.zstd"] && !found.isListed)
        }
    }

    @Test(
        "without a list a gap in the numbers is a file that is missing",
        arguments: [
            (["x_4.db3", "x_6.db3"], ["x_5.db3"]), (["x_0.mcap", "x_1.mcap", "x_4.mcap"], ["x_2.mcap"]),
            (["x_0.db3", "x_1.db3.zstd", "x_2.db3"], []), (["x_0.db3", "x_1.db3.part", "x_2.db3"], []),
            (["a_0.db3", "b_2.db3"], []), (["walk_2024.db3", "walk_2026.db3"], []), (["one.db3", "two.mcap"], []),
        ]
    )
    func gaps(names: [String], missing: [String]) {
        #expect(selection(names, nil).missing == missing)
    }

    @Test("what is listed and not there is missing; then the unlisted may stand in")
    func missing() {
        let found = selection(["a_1.db3", "renamed.db3"], ["a_0.db3", "a_1.db3"])
        #expect(found.missing == ["a_0.db3"] && found.files == ["a_1.db3"])
        #expect(found.takingUnlisted().files == ["a_1.db3", "renamed.db3"])
    }
}
