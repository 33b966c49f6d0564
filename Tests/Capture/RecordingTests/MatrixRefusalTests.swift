import Recording
import Testing

@Suite struct MatrixRefusalTests {
    private static let identity: [Double] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]

    private func problem(_ change: (inout [Double]) -> Void) throws -> Transform.MatrixProblem {
        var matrix = Self.identity
        change(&matrix)
        return try #require(throws: Transform.MatrixProblem.self) { try Transform(columnMajor: matrix) }
    }

    @Test(arguments: 0..<16, [Double.nan, .infinity, -.infinity])
    func numbersMustBeFinite(index: Int, value: Double) throws {
        #expect(try problem { $0[index] = value } == .notFinite(index: index))
    }

    @Test func axesMustBeOrthonormal() throws {
        for index in [0, 1, 2, 4, 5, 6, 8, 9, 10] {
            guard case .notOrthonormal(let deviation) = try problem({ $0[index] += 0.01 }) else {
                Issue.record("\(index)")
                continue
            }
            #expect(deviation >= 0.01 && deviation < 0.03)
        }
        guard case .notOrthonormal = try problem({ $0[0] = 1e200 }) else { throw try problem { $0[0] = 1e200 } }
    }

    @Test func whatSinglePrecisionDoesIsTaken() throws {
        var matrix = Self.identity
        matrix[1] = 4e-4
        matrix[10] = 0.9997
        matrix[15] = 0.99999994
        let transform = try Transform(columnMajor: matrix)
        #expect(abs(transform.rotation.norm - 1) < 1e-15)
    }

    @Test func mirrorsAreNoRotations() throws {
        for index in [0, 5, 10] { #expect(try problem { $0[index] = -1 } == .mirrored) }
        #expect(try problem { ($0[0], $0[1], $0[4], $0[5]) = (0, 1, 1, 0) } == .mirrored)
    }

    @Test func lastRowIsThatOfARigidMotion() throws {
        for index in [3, 7, 11] { #expect(try problem { $0[index] = 0.5 } == .lastRow) }
        #expect(try problem { $0[15] = 0 } == .lastRow)
        #expect(try problem { $0[15] = 2 } == .lastRow)
    }

    @Test func nobodyWalksThatFar() throws {
        #expect(try problem { $0[12] = 100_001 } == .farAway(metres: 100_001))
        #expect(try problem { $0[14] = -1e300 } == .farAway(metres: .infinity))
        var matrix = Self.identity
        matrix[13] = -99_999
        #expect(try Transform(columnMajor: matrix).translation == Vector3(0, -99_999, 0))
    }
}
