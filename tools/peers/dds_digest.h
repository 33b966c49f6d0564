// SHA-256 (FIPS 180-4) of the messages of a topic, for dds_read.c and dds_read_fast.cpp.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct sha {
    uint32_t state[8];
    uint64_t length;
    uint8_t block[64];
};

static uint32_t constants[64];

// All numbers of SHA-256 are the first 32 bits of the fraction of a root of each of the first primes.
static void sha_start(struct sha *sha) {
    sha->length = 0;
    for (int prime = 2, count = 0; count < 64; prime++) {
        bool divides = false;
        for (int other = 2; other * other <= prime; other++) divides |= prime % other == 0;
        if (divides) continue;
        for (int root = 2; root <= 3; root++) {
            // The greatest x with x^root <= prime * 2^(32 * root), bit by bit.
            unsigned __int128 x = 0;
            for (int bit = 36; bit >= 0; bit--) {
                const unsigned __int128 next = x | (unsigned __int128)1 << bit;
                const unsigned __int128 square = next * next, limit = (unsigned __int128)prime << 64;
                const bool fits = root == 2 ? square <= limit : square <= (limit << 32) / next;
                if (fits) x = next;
            }
            if (root == 3) constants[count] = (uint32_t)x;
            if (root == 2 && count < 8) sha->state[count] = (uint32_t)x;
        }
        count++;
    }
}

static uint32_t turned(uint32_t x, int by) { return x >> by | x << (32 - by); }

static void sha_block(uint32_t *state, const uint8_t *bytes) {
    uint32_t w[64], v[8];
    memcpy(v, state, sizeof(v));
    for (int i = 0; i < 64; i++) {
        if (i < 16) {
            memcpy(&w[i], bytes + 4 * i, 4);
            w[i] = __builtin_bswap32(w[i]);
        } else {
            const uint32_t a = w[i - 15], b = w[i - 2];
            w[i] = w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[i - 7] +
                (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
        }
        const uint32_t sum = turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25);
        const uint32_t one = v[7] + sum + ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + w[i];
        const uint32_t two = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) +
            ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof(*v));
        v[4] += one;
        v[0] = one + two;
    }
    for (int i = 0; i < 8; i++) state[i] += v[i];
}

static void sha_add(struct sha *sha, const void *data, size_t count) {
    const uint8_t *bytes = (const uint8_t *)data;
    while (count) {
        const size_t used = sha->length % 64, room = 64 - used, length = count < room ? count : room;
        memcpy(sha->block + used, bytes, length);
        sha->length += length, bytes += length, count -= length;
        if (used + length == 64) sha_block(sha->state, sha->block);
    }
}

static void sha_end(struct sha *sha, char *hex) {
    const uint64_t bits = __builtin_bswap64(sha->length * 8);
    sha_add(sha, "\x80", 1);
    while (sha->length % 64 != 56) sha_add(sha, "", 1);
    sha_add(sha, &bits, 8);
    for (int i = 0; i < 8; i++) sprintf(hex + 8 * i, "%08x", sha->state[i]);
}

// Adds a message to the digest of its topic, and to a dump, if there is one.
static void digest(struct sha *sha, FILE *dump, uint32_t topic, const uint8_t *bytes, uint32_t size) {
    const uint32_t header[2] = {topic, size};
    sha_add(sha, &size, 4);
    sha_add(sha, bytes, size);
    if (!dump) return;
    fwrite(header, 8, 1, dump);
    fwrite(bytes, size, 1, dump);
}
