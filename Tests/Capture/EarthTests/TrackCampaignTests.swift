import Sessions
import Testing

/// Two hundred walks of each kind: what the alignment states is what comes true.
@Suite struct TrackCampaignTests {
    /// What two hundred alignments stated, and what was true.
    private struct Campaign {
        /// Degrees, in ascending order.
        var errors: [Double] = []
        /// Runs whose heading lies within 1.96 standard deviations: the interval of 95 %.
        var covered = 0
        var known = 0
        /// Runs whose centre lies within the ellipse of 95 % that is stated for it.
        var coveredPlaces = 0

        init(_ walk: NoisyWalk) throws {
            for seed in 0..<200 as Range<UInt64> {
                var walk = walk
                walk.headingDegrees = Double(seed * 17 % 360)
                let found = try #require(TrackAlignment(walk.points(seed: seed)))
                let error = angle(found.headingDegrees, walk.headingDegrees)
                errors.append(error)
                covered += error <= 1.96 * found.headingSigmaDegrees ? 1 : 0
                known += found.knowsHeading ? 1 : 0
                let miss = found.fixCentre - walk.truth(found.trackCentre)
                coveredPlaces += (miss * miss).sum() <= 5.99 * found.placeVariance ? 1 : 0
            }
            errors.sort()
        }

        var medianDegrees: Double { errors[errors.count / 2] }
    }

    @Test(arguments: NoisyWalk.Shape.allCases)
    func sixtyMetresTellTheHeading(shape: NoisyWalk.Shape) throws {
        let campaign = try Campaign(NoisyWalk(shape: shape, extentMetres: 60))
        #expect(campaign.medianDegrees < 3, "\(campaign.medianDegrees)")
        #expect((180...198).contains(campaign.covered), "\(campaign.covered) of 200")
        #expect(campaign.known >= 150, "\(campaign.known) of 200")
        #expect(campaign.coveredPlaces >= 180, "\(campaign.coveredPlaces) of 200")
    }

    @Test(arguments: [NoisyWalk.Shape.straight, .corner, .rows])
    func threeHundredMetresTellItWithinADegree(shape: NoisyWalk.Shape) throws {
        let campaign = try Campaign(NoisyWalk(shape: shape, extentMetres: 300))
        #expect(campaign.medianDegrees < 1, "\(campaign.medianDegrees)")
        #expect((180...198).contains(campaign.covered), "\(campaign.covered) of 200")
        #expect(campaign.known == 200)
    }

    /// The same street again and again: the longer, the better, and no better than is stated.
    @Test(arguments: [2, 4, 8])
    func longerWalksAreNoMoreThanHonest(laps: Int) throws {
        let campaign = try Campaign(NoisyWalk(shape: .straight, extentMetres: 60, laps: laps))
        #expect((180...198).contains(campaign.covered), "\(campaign.covered) of 200")
        #expect(campaign.medianDegrees < 3 / Double(laps).squareRoot())
    }

    /// Five metres say nothing, however long they are walked about.
    @Test(arguments: [NoisyWalk.Shape.straight, .rows], [1, 12])
    func fiveMetresSayNothing(shape: NoisyWalk.Shape, laps: Int) throws {
        #expect(try Campaign(NoisyWalk(shape: shape, extentMetres: 5, laps: laps)).known == 0)
    }

    /// Errors that each fix has for itself are allowed for, not taken for errors that last.
    @Test func independentErrors() throws {
        let campaign = try Campaign(NoisyWalk(shape: .corner, correlationSeconds: 0))
        #expect(campaign.covered >= 180 && campaign.known == 200 && campaign.medianDegrees < 1.5)
    }

    /// Claims that are wrong by a factor of two either way: of those that are too good the residuals tell some.
    @Test func wrongClaims() throws {
        let timid = try Campaign(NoisyWalk(shape: .block, claimedMetres: 6))
        #expect(timid.covered >= 190 && timid.known >= 150)
        let bold = try Campaign(NoisyWalk(shape: .block, noiseMetres: 6))
        #expect(bold.covered >= 160, "\(bold.covered) of 200")
    }
}
