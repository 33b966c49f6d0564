import Platform
import SystemPackage
import Testing

/// Each in a process of its own: what is kept is kept for all of one.
struct SystemFaultTests {
    @Test func whatTheSystemRefusesIsKept() async {
        await #expect(processExitsWith: .success) {
            // Nobody has asked yet.
            _ = FileError(path: "before", operation: "read", errno: .ioError)
            try SystemFault.check()
            SystemFault.watch()
            // These say what is there.
            for errno in [Errno.noSuchFileOrDirectory, .permissionDenied, .isDirectory, .notSupported] {
                _ = FileError(path: "named", operation: "open", errno: errno)
            }
            try SystemFault.check()
            _ = FileError(path: "first", operation: "open", errno: .tooManyOpenFiles)
            SystemFault.note("second", "read", .ioError)
            #expect {
                try SystemFault.check()
            } throws: {
                ($0 as? SystemFault)?.path == "first"
            }
        }
    }
}
