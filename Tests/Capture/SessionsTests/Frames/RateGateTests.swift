import Recording
import Sessions
import TestSupport
import Testing

@Suite struct RateGateTests {
    private func passed(_ times: [Int64], _ gate: RateGate) -> [Int64] {
        var gate = gate
        return times.filter { time in
            let stamp = Timestamp(nanoseconds: time)
            guard gate.isDue(stamp) else { return false }
            gate.pass(stamp)
            return true
        }
    }

    /// Without state: time is cut into periods from the first record on, and the first of each period passes.
    private func reference(_ times: [Int64], period: Int64) -> [Int64] {
        var seen: Set<Int64> = []
        return times.filter { seen.insert(($0 - times[0]) / period).inserted }
    }

    @Test(arguments: 0..<40)
    func equalsTheReferenceOnRandomStreams(seed: UInt64) {
        var numbers = SeededRandomNumbers(seed: seed)
        let rate = Double.random(in: 0.5...60, using: &numbers)
        var time = Int64.random(in: 0...1_000_000_000_000, using: &numbers)
        let longest = Int64.random(in: 2_000_000...900_000_000, using: &numbers)
        let times = (0..<500).map { _ -> Int64 in
            time += Int64.random(in: 1...longest, using: &numbers)
            return time
        }
        let gate = RateGate(rateHertz: rate, nominalIntervalSeconds: nil)
        #expect(passed(times, gate) == reference(times, period: Int64((1e9 / rate).rounded())))
    }

    /// 2 Hz from ticks of 0.2 s: 0.6, 0.4, 0.6, 0.4 apart, never 0.6 always.
    @Test func doesNotAlias() {
        let times = (0..<500).map { Int64($0) * 200_000_000 }
        let gate = RateGate(rateHertz: 2, nominalIntervalSeconds: 0.2)
        let result = passed(times, gate)
        #expect(result.count == 200)
        #expect(result.prefix(5) == [0, 600_000_000, 1_000_000_000, 1_600_000_000, 2_000_000_000])
    }

    @Test(arguments: [(60.0, 10.0), (30, 10), (30, 5), (60, 2), (30, 7), (10, 3)])
    func keepsItsRateOnEvenStreams(frames: Double, rate: Double) {
        let times = (0..<Int(frames * 20)).map { Int64((Double($0) * 1e9 / frames).rounded()) }
        let gate = RateGate(rateHertz: rate, nominalIntervalSeconds: 1 / frames)
        #expect(abs(passed(times, gate).count - Int(20 * rate)) <= 1)
    }

    /// A stream of the gate's own rate loses nothing to its jitter, in either direction.
    @Test(arguments: [30.0, 10, 5], [0.01, 0.1, 0.2])
    func jitterCostsNothingAtTheStreamsOwnRate(rate: Double, jitter: Double) {
        var numbers = SeededRandomNumbers(seed: 11)
        let times = (0..<1000).map { place in
            Int64((Double(place) + Double.random(in: -jitter...jitter, using: &numbers)) * 1e9 / rate) + 1_000_000_000
        }
        let gate = RateGate(rateHertz: rate, nominalIntervalSeconds: 1 / rate)
        #expect(passed(times, gate) == times)
    }

    @Test func slowStreamsPassWhole() {
        let times = (0..<50).map { Int64($0) * 333_000_000 }
        #expect(passed(times, RateGate(rateHertz: 10, nominalIntervalSeconds: 0.333)) == times)
    }

    /// A ceiling holds in a burst too, whatever the stream's usual rate is.
    @Test func burstsAreHeldToTheRate() {
        let slow = (0..<20).map { Int64($0) * 200_000_000 }
        let burst = (1..<120).map { slow[19] + Int64($0) * 16_666_667 }
        let result = passed(slow + burst, RateGate(rateHertz: 5, nominalIntervalSeconds: 0.2))
        #expect(result.filter { $0 > slow[19] }.count <= 10)
        #expect(result.filter { $0 > slow[19] }.count >= 9)
        #expect(result.filter { $0 <= slow[19] } == slow)
    }

    @Test func neverTheSameTimeTwice() {
        let times: [Int64] = [5, 5, 5, 6, 6, 7]
        #expect(passed(times, RateGate(rateHertz: nil, nominalIntervalSeconds: nil)) == [5, 6, 7])
        #expect(passed([5, 4, 3, 9], RateGate(rateHertz: nil, nominalIntervalSeconds: nil)) == [5, 9])
    }

    @Test func gapsAreNotMadeUpFor() {
        let before = (0..<100).map { (index: Int64) -> Int64 in index * 10_000_000 }
        let times = before + before.map { 60_000_000_000 + $0 }
        let result = passed(times, RateGate(rateHertz: 2, nominalIntervalSeconds: 0.01))
        #expect(result == [0, 500_000_000, 60_000_000_000, 60_500_000_000])
    }

    @Test(arguments: [0, -1, Double.nan, .infinity, 1e-300])
    func senselessRatesLetThrough(rate: Double) {
        let times: [Int64] = [0, 1, 2, 3]
        let result = passed(times, RateGate(rateHertz: rate, nominalIntervalSeconds: nil))
        #expect(result == times)
    }

    /// Slow rates are rates too: of ten records a second, each 20th passes at 0.5 Hz.
    @Test(arguments: [(0.5, 20), (1.0, 10), (0.1, 100)])
    func slowRates(rate: Double, every: Int) {
        let times = (0..<400).map { Int64($0) * 100_000_000 }
        let expected = times.enumerated().filter { $0.offset % every == 0 }.map(\.element)
        #expect(passed(times, RateGate(rateHertz: rate, nominalIntervalSeconds: 0.1)) == expected)
    }

    /// A period has to fit into 64 bits: 8.3e18 ns does, 1e19 ns does not, and then nothing is held back.
    @Test func theLongestPeriod() {
        let longest = RateGate(rateHertz: 1.2e-10, nominalIntervalSeconds: nil)
        #expect(longest.periodNanoseconds.map { abs(Double($0) - 1e9 / 1.2e-10) < 1e6 } == true)
        #expect(passed([0, 1, 2], longest) == [0])
        #expect(RateGate(rateHertz: 1e-10, nominalIntervalSeconds: nil).periodNanoseconds == nil)
        #expect(RateGate(rateHertz: nil, nominalIntervalSeconds: nil).periodNanoseconds == nil)
    }

    /// Half a period early at the stream's own rate, as much as is asked for elsewhere, and not a nanosecond more.
    @Test func howEarlyARecordMayBe() {
        let gates = [
            (RateGate(rateHertz: 10, nominalIntervalSeconds: 0.1), Int64(50_000_000)),
            (RateGate(rateHertz: 10, nominalIntervalSeconds: 0.096), 50_000_000),
            (RateGate(rateHertz: 10, nominalIntervalSeconds: 0.09, tolerance: 0.25), 75_000_000),
            (RateGate(rateHertz: 10, nominalIntervalSeconds: nil, tolerance: 0.25), 75_000_000),
            (RateGate(rateHertz: 10, nominalIntervalSeconds: 0.09), 100_000_000),
        ]
        for (gate, earliest) in gates {
            #expect(passed([0, earliest - 1], gate) == [0])
            #expect(passed([0, earliest], gate) == [0, earliest])
        }
    }

    @Test func recordsOfOneTimeMayBeSeveral() {
        let gate = RateGate(rateHertz: nil, nominalIntervalSeconds: nil, keepsEqualTimes: true)
        #expect(passed([5, 5, 5, 4, 6, 6], gate) == [5, 5, 5, 6, 6])
    }
}
