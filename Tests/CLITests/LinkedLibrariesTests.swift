import Foundation
import Testing

@Suite struct LinkedLibrariesTests {
    /// Foundation, CoreFoundation and their tables of Unicode are twice as large as all the rest.
    @Test("the command carries no Foundation but the essentials that the argument parser needs")
    func noFoundation() throws {
        let program = try Data(contentsOf: URL(fileURLWithPath: Binary.path), options: .alwaysMapped)
        #expect(program.range(of: Data("FoundationEssentials".utf8)) != nil)
        for name in ["icudt", "CFStringCreate", "_CFRuntime", "FoundationInternationalization"] {
            #expect(program.range(of: Data(name.utf8)) == nil, "\(name)")
        }
    }
}
