#include "CFusion.h"

// Both forms of the kernel and every processor have to give the same bits: no product and sum become one rounding.
#pragma STDC FP_CONTRACT OFF
// Vectors are passed between functions that are all inlined.
#pragma clang diagnostic ignored "-Wpsabi"

typedef float Floats __attribute__((vector_size(32)));
typedef int32_t Integers __attribute__((vector_size(32)));
typedef int16_t Shorts __attribute__((vector_size(16)));
typedef double Doubles __attribute__((vector_size(32)));
typedef int64_t Longs __attribute__((vector_size(32)));
typedef int32_t Key __attribute__((vector_size(16)));
typedef uint8_t Bytes __attribute__((vector_size(8)));

#define INLINE static inline __attribute__((always_inline))

/// Adding this rounds a number of less than 2^22 to an integer, which the low bits of the sum then hold.
static const float magic = 12582912;
static const int32_t magicBits = 0x4B400000;

INLINE Floats all(float value) { return (Floats){value, value, value, value, value, value, value, value}; }

INLINE Floats select(Integers mask, Floats yes, Floats no) {
    return (Floats)(((Integers)yes & mask) | ((Integers)no & ~mask));
}

INLINE Floats smaller(Floats a, Floats b) { return select(a < b, a, b); }

INLINE Floats rounded(Floats values) { return (values + magic) - magic; }

INLINE Integers integers(Floats values) { return (Integers)(values + magic) - magicBits; }

INLINE Floats floats(Shorts values) {
    return __builtin_convertvector(__builtin_convertvector(values, Integers), Floats);
}

INLINE Shorts shorts(Integers values) { return __builtin_convertvector(values, Shorts); }

INLINE Shorts load(const int16_t *values) {
    Shorts result;
    __builtin_memcpy(&result, values, sizeof result);
    return result;
}

INLINE void store(Shorts values, int16_t *to) { __builtin_memcpy(to, &values, sizeof values); }

INLINE bool isAny(Shorts mask) {
    uint64_t parts[2];
    __builtin_memcpy(parts, &mask, sizeof parts);
    return (parts[0] | parts[1]) != 0;
}

INLINE void paint(const CFusionFrame *frame, Shorts near, Integers pixels, Floats sample, CFusionBlock block, int first) {
    uint32_t found[8];
    for (int lane = 0; lane < 8; lane++) found[lane] = frame->colours[pixels[lane]];
    Shorts old[4];
    for (int pair = 0; pair < 4; pair++) old[pair] = load(block.colour + 4 * first + 8 * pair);
    Shorts lower = __builtin_shufflevector(old[0], old[1], 3, 7, 11, 15, -1, -1, -1, -1);
    Shorts upper = __builtin_shufflevector(old[2], old[3], 3, 7, 11, 15, -1, -1, -1, -1);
    Floats sum = floats(__builtin_shufflevector(lower, upper, 0, 1, 2, 3, 8, 9, 10, 11)) + sample;
    Floats part = sample / select(sum > 1e-6f, sum, all(1e-6f));
    Floats weight = smaller(sum, all(frame->largestWeight));
    const Integers isWeight = {0, 0, 0, -1, 0, 0, 0, -1};
#define PAINT(pair, a, b)                                                                                                        \
    do {                                                                                                                         \
        Bytes bytes;                                                                                                             \
        __builtin_memcpy(&bytes, found + a, sizeof bytes);                                                                       \
        Integers channels = __builtin_convertvector(bytes, Integers);                                                            \
        channels = __builtin_shufflevector(channels, channels, 2, 1, 0, 3, 6, 5, 4, 7);                                          \
        Floats mean = floats(old[pair]);                                                                                         \
        Floats share = __builtin_shufflevector(part, part, a, a, a, a, b, b, b, b);                                              \
        Floats moved = mean + (__builtin_convertvector(channels, Floats) * frame->colourUnit - mean) * share;                    \
        moved = select(isWeight, __builtin_shufflevector(weight, weight, a, a, a, a, b, b, b, b), moved);                        \
        Shorts mask = __builtin_shufflevector(near, near, a, a, a, a, b, b, b, b);                                               \
        store((shorts(integers(moved)) & mask) | (old[pair] & ~mask), block.colour + 4 * first + 8 * pair);                      \
    } while (0)
    PAINT(0, 0, 1);
    PAINT(1, 2, 3);
    PAINT(2, 4, 5);
    PAINT(3, 6, 7);
#undef PAINT
    Shorts count = load(block.count + first);
    store(count - (near & (count < INT16_MAX)), block.count + first);
}

/// Updates distances and weights of eight voxels, of which those in `free` lose weight; gives what the samples weigh.
INLINE Floats fuse(
    const CFusionFrame *frame, Floats distance, Floats measured, Floats inverse, Shorts changed, Integers free,
    CFusionBlock block, int first) {
    Floats part = distance * (1 / frame->truncation);
    Integers isSure = (Integers)measured << 31 >> 31;
    Floats confidence = select(isSure, all(1), all(0.5f));
    Floats unbehind = smaller((part + 1) * frame->fallOff, all(1));
    Floats sample = smaller(confidence * inverse * inverse, all(frame->largestSample)) * unbehind * frame->weightUnit;
    Shorts oldDistance = load(block.distance + first);
    Shorts oldWeight = load(block.weight + first);
    Floats mean = floats(oldDistance);
    Floats sum = floats(oldWeight) + select(free, sample * -frame->carvingPart, sample);
    Floats moved = mean + (part * frame->distanceUnit - mean) * (sample / sum);
    Floats weight = smaller(sum, all(frame->largestWeight));
    Shorts newDistance = shorts(integers(select(free, mean, moved)));
    Shorts newWeight = shorts(integers(weight));
    // Without weight a voxel is as if it had never been seen.
    Shorts carved = shorts(free) & changed & ((newWeight - 1) >> 15);
    Shorts kept = changed & ~carved;
    store((newDistance & kept) | (oldDistance & ~changed), block.distance + first);
    store((newWeight & kept) | (oldWeight & ~changed), block.weight + first);
    if (isAny(carved)) {
        for (int lane = 0; lane < 8; lane++) {
            if (carved[lane] == 0) continue;
            block.count[first + lane] = 0;
            for (int channel = 0; channel < 4; channel++) block.colour[4 * (first + lane) + channel] = 0;
        }
    }
    return sample;
}

/// Asks for a sixty-fourth of the next block.
INLINE void fetch(CFusionBlock block, int line) {
    if (block.next == 0) return;
    const char *next = (const char *)block.next;
    __builtin_prefetch(next + ((char *)block.colour - (char *)block.distance) + 64 * line);
    if (line & 3) return;
    __builtin_prefetch(next + 16 * line);
    __builtin_prefetch(next + ((char *)block.weight - (char *)block.distance) + 16 * line);
    __builtin_prefetch(next + ((char *)block.count - (char *)block.distance) + 16 * line);
}

INLINE void integrate(const CFusionFrame *frame, const float *start, CFusionView view, CFusionBlock block) {
    const Floats ramp = {0, 1, 2, 3, 4, 5, 6, 7};
    const Floats acrossX = ramp * frame->stepX[0];
    const Floats downX = ramp * frame->stepX[1];
    const Floats depthX = ramp * frame->stepX[2];
    for (int line = 0; line < 64; line++) {
        int first = 8 * line;
        fetch(block, line);
        Shorts isBehind = load(block.distance + first) >> 15;
        if (view == CFusionSeenThrough && !isAny(isBehind)) continue;
        float y = (float)(line & 7), z = (float)(line >> 3);
        float point[3];
        for (int axis = 0; axis < 3; axis++) point[axis] = start[axis] + frame->stepY[axis] * y + frame->stepZ[axis] * z;
        Floats metres = depthX + point[2];
        Floats inverse = 1 / metres;
        Floats column = rounded((acrossX + point[0]) * inverse);
        Floats row = rounded((downX + point[1]) * inverse);
        Integers seen = {-1, -1, -1, -1, -1, -1, -1, -1};
        if (view != CFusionInside) {
            // Comparisons are false for what is no number.
            seen = (column >= 0) & (column <= frame->lastColumn) & (row >= 0) & (row <= frame->lastRow);
            seen &= metres > frame->nearestMetres;
            if (!isAny(shorts(seen))) continue;
            column = select(seen, column, all(0));
            row = select(seen, row, all(0));
        }
        Integers pixels = integers(row * frame->rowLength + column);
        Floats measured;
        for (int lane = 0; lane < 8; lane++) measured[lane] = frame->depth[pixels[lane]];
        Floats distance = measured - metres;
        seen &= distance > -frame->truncation;
        // Only what lies behind a surface can be carved.
        Integers free = distance > frame->truncation;
        Shorts changed = shorts(seen) & (shorts(~free) | isBehind);
        if (!isAny(changed)) continue;
        Floats sample = fuse(frame, distance, measured, inverse, changed, free, block, first);
        if (view == CFusionSeenThrough || !frame->colours) continue;
        Shorts near = changed & shorts((distance < frame->colourReach) & (distance > -frame->colourReach));
        if (isAny(near)) paint(frame, near, pixels, sample, block, first);
    }
}

INLINE void integrateAny(const CFusionFrame *frame, const float *start, CFusionView view, CFusionBlock block) {
    // Copied, so that no store into the block can be one into it.
    const CFusionFrame copy = *frame;
    switch (view) {
    case CFusionPartial: integrate(&copy, start, CFusionPartial, block); break;
    case CFusionInside: integrate(&copy, start, CFusionInside, block); break;
    case CFusionSeenThrough: integrate(&copy, start, CFusionSeenThrough, block); break;
    }
}

INLINE Doubles doubles(const double *values) { return (Doubles){values[0], values[1], values[2], 0}; }

INLINE int32_t find(
    const CFusionBand *band, const float *depth, CFusionRecent *recent, int32_t (*keys)[4]) {
    // Adding this rounds a number of less than 2^51 to an integer, which the low bits of the sum then hold.
    const double magic = 6755399441055744;
    const Doubles origin = doubles(band->origin), across = doubles(band->across), start = doubles(band->line);
    int32_t count = 0;
    for (int32_t column = band->stride / 2; column < band->width; column += band->stride) {
        double metres = depth[column];
        if (!(metres > 0)) continue;
        Doubles ray = start + across * (((double)column - band->cx) / band->fx);
        for (int step = 0; step < CFusionSteps; step++) {
            double reach = metres + band->steps[step];
            Doubles place = origin + ray * (reach > 0 ? reach : 0);
            Doubles shifted = place + magic;
            // The whole numbers below; those too large for a block wrap, which the limit does not let pass in practice.
            Key key = __builtin_convertvector((Longs)shifted, Key) + __builtin_convertvector((shifted - magic) > place, Key);
            uint32_t hash = (uint32_t)key[0] + 19 * (uint32_t)key[1] + 349 * (uint32_t)key[2];
            int32_t *known = recent->keys[hash % CFusionRecentKeys];
            if (known[0] == key[0] && known[1] == key[1] && known[2] == key[2]) continue;
            __builtin_memcpy(known, &key, sizeof key);
            int isNumbered = 1;
            for (int axis = 0; axis < 3; axis++) isNumbered &= key[axis] < band->limit && key[axis] > -band->limit;
            if (!isNumbered) continue;
            __builtin_memcpy(keys[count], &key, sizeof key);
            count++;
        }
    }
    return count;
}

void CFusionForget(CFusionRecent *recent) {
    for (int index = 0; index < CFusionRecentKeys; index++) recent->keys[index][0] = INT32_MIN;
}

#if defined(__x86_64__)

#define WIDE __attribute__((target("avx2")))

WIDE static void integrateWide(const CFusionFrame *frame, const float *start, CFusionView view, CFusionBlock block) {
    integrateAny(frame, start, view, block);
}

WIDE static int32_t findWide(
    const CFusionBand *band, const float *depth, CFusionRecent *recent, int32_t (*keys)[4]) {
    return find(band, depth, recent, keys);
}

bool CFusionHasWideLanes(void) { return __builtin_cpu_supports("avx2"); }

#else

#define integrateWide integrateAny
#define findWide find

bool CFusionHasWideLanes(void) { return false; }

#endif

void CFusionIntegrate(
    const CFusionFrame *frame, float across, float down, float metres, CFusionView view, CFusionBlock block,
    bool hasWideLanes) {
    const float start[3] = {across, down, metres};
    if (hasWideLanes) {
        integrateWide(frame, start, view, block);
    } else {
        integrateAny(frame, start, view, block);
    }
}

int32_t CFusionFindBlocks(
    const CFusionBand *band, const float *depth, CFusionRecent *recent, int32_t (*keys)[4],
    bool hasWideLanes) {
    return hasWideLanes ? findWide(band, depth, recent, keys) : find(band, depth, recent, keys);
}
