import NIOCore
import NIOPosix
import Rosbridge
import Testing
import WebSocket

@Suite("Input and output of a transport")
struct TransportStateTests {
    private func bytes(_ count: Int) -> ByteBuffer { ByteBuffer(repeating: 7, count: count) }

    private func message(_ count: Int) -> WebSocketMessage {
        .binary([UInt8](repeating: 1, count: count))
    }

    @Test("what is not compressed is looked at at once")
    func plainInput() {
        var input = TransportInput()
        #expect(input.nextPiece(isCompressed: false, limit: 10) == nil)
        input.append(bytes(3_000))
        input.append(bytes(2_000))
        input.add(message(100))
        #expect(input.nextPiece(isCompressed: false, limit: 10) == bytes(5_000))
        #expect(!input.hasBacklog)
    }

    @Test("compressed input is looked at in pieces until the batch is full, and goes on after it")
    func compressedInput() {
        var input = TransportInput()
        input.append(bytes(1_100))
        #expect(input.nextPiece(isCompressed: true, limit: 1_000)?.readableBytes == 512)
        input.add(message(999))
        #expect(input.nextPiece(isCompressed: true, limit: 1_000)?.readableBytes == 512)
        input.add(message(1))
        #expect(input.nextPiece(isCompressed: true, limit: 1_000) == nil && input.hasBacklog)
        input.endBatch()
        #expect(input.isPaused && input.takeBatch().map(\.payload.count) == [999, 1])
        #expect(input.heldBytes == 1_000)
        input.keptBytes = 50
        input.resume()
        #expect(!input.isPaused && input.heldBytes == 50)
        #expect(input.nextPiece(isCompressed: true, limit: 1_000)?.readableBytes == 76)
        input.endBatch()
        #expect(!input.isPaused && input.takeBatch().isEmpty)
    }

    @Test("a command is done when the socket has taken all up to its end")
    func output() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promises = (0..<3).map { _ in loop.makePromise(of: Void.self) }
        var output = TransportOutput()
        #expect(output.isFlushed)
        output.add(promises[0], waitingBytes: 100)
        output.noteWritten(100)
        output.add(promises[1], waitingBytes: 40)
        output.add(promises[2], waitingBytes: 90)
        output.noteFlushed(99)
        #expect(output.takeDone() == nil && !output.isFlushed)
        output.noteFlushed(1)
        #expect(output.takeDone()?.futureResult === promises[0].futureResult && output.isFlushed)
        #expect(output.takeDone() == nil)
        output.noteWritten(90)
        output.noteFlushed(40)
        #expect(output.takeDone()?.futureResult === promises[1].futureResult && output.takeDone() == nil)
        promises[0].succeed()
        promises[1].succeed()
        output.fail(CancellationError())
        await #expect(throws: CancellationError.self) { try await promises[2].futureResult.get() }
    }
}
