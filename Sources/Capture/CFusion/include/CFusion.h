#ifndef CFUSION_H
#define CFUSION_H

#include <stdbool.h>
#include <stdint.h>

/// A frame as blocks see it, and how its samples count. Steps are those of one voxel along each axis: in the numbers across and down,
/// whose quotients by the depth are column and row, and in metres along the optical axis.
typedef struct {
    float stepX[4], stepY[4], stepZ[4];
    float lastColumn, lastRow, rowLength;
    float nearestMetres;
    float truncation, colourReach, fallOff;
    float largestSample, carvingPart;
    float distanceUnit, weightUnit, largestWeight, colourUnit;
    /// Metres of each pixel, whose lowest bit tells high confidence.
    const float *depth;
    /// 0x00RRGGBB of each pixel, or none.
    const uint32_t *colours;
} CFusionFrame;

/// The planes of a block of 8x8x8 voxels, x fastest; a colour is red, green, blue and their weight.
typedef struct {
    int16_t *distance, *weight, *colour, *count;
    /// Where the next block has its distances, 0 without one: its planes lie as those of this one, and are fetched meanwhile.
    uintptr_t next;
} CFusionBlock;

typedef enum {
    /// Some voxels may lie outside of the view.
    CFusionPartial,
    CFusionInside,
    /// Only voxels behind a surface are looked at.
    CFusionSeenThrough,
} CFusionView;

/// True if this processor has instructions for eight numbers at a time.
bool CFusionHasWideLanes(void);

/// Fuses a frame into a block whose first voxel has these numbers across, down and along the axis. The results are the same bits
/// with wide lanes and without.
void CFusionIntegrate(
    const CFusionFrame *frame, float across, float down, float metres, CFusionView view, CFusionBlock block,
    bool hasWideLanes);

/// A frame as it looks for blocks; places are in units of a block's edge.
typedef struct {
    double origin[3];
    /// What a ray gains where it goes one unit to the right, at a depth of one metre.
    double across[3];
    /// The ray of the row's principal column at one metre.
    double line[3];
    double cx, fx;
    /// At which distances from a surface its blocks are looked up, in metres.
    double steps[5];
    int32_t width, stride;
    /// Numbers of blocks lie strictly within this.
    int32_t limit;
} CFusionBand;

enum { CFusionSteps = 5, CFusionRecentKeys = 1024 };

/// The blocks that a frame found lately, of which most come again; x, y, z and nothing.
typedef struct {
    int32_t keys[CFusionRecentKeys][4];
} CFusionRecent;

void CFusionForget(CFusionRecent *recent);

/// Looks up the blocks around the surface at every `stride`-th pixel of a row, and gives those that were not found lately, of which
/// there is room for five a pixel. Returns how many there are.
int32_t CFusionFindBlocks(
    const CFusionBand *band, const float *depth, CFusionRecent *recent, int32_t (*keys)[4],
    bool hasWideLanes);

#endif
