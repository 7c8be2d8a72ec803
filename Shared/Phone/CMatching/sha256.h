// SHA-256's compression: portable, and with the processor's instructions. For this module's C files only.
#ifndef VIGIL_SHA256_H
#define VIGIL_SHA256_H

#include <stdint.h>

// Where memory lies in the order of x86 and of arm64 as phones run it: first byte in the lowest place.
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Bytes are read as little-endian numbers here."
#endif

#define INLINE static inline __attribute__((always_inline))

static const uint32_t initial_state[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};
static const uint32_t inner_pad = 0x36363636;
static const uint32_t outer_pad = 0x5c5c5c5c;

static const uint32_t round_constants[64] __attribute__((aligned(64))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline uint32_t rotate(uint32_t word, int count) { return word << (32 - count) | word >> count; }

// The words that the 64 rounds of a block add, constants included. They don't depend on the state.
static inline void schedule(const uint32_t block[16], uint32_t words[64]) {
    uint32_t w[64];
    for (int i = 0; i < 16; i++) w[i] = block[i];
    for (int i = 16; i < 64; i++) {
        const uint32_t early = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        const uint32_t late = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + early + w[i - 7] + late;
    }
    for (int i = 0; i < 64; i++) words[i] = w[i] + round_constants[i];
}

static inline void rounds(uint32_t state[8], const uint32_t words[64]) {
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; i++) {
        const uint32_t one = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + words[i];
        const uint32_t two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + one;
        d = c, c = b, b = a, a = one + two;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

static inline void compress(uint32_t state[8], const uint32_t block[16]) {
    uint32_t words[64];
    schedule(block, words);
    rounds(state, words);
}

#if defined(__x86_64__)

#include <immintrin.h>

#define SHA_CODE __attribute__((target("sha,sse4.1,ssse3")))

// Several keys side by side: a round waits for the one before, but not for another key's.
#define LANES 4

// State as the instructions want it, highest place first: A B E F and C D G H.
typedef struct {
    __m128i abef, cdgh;
} hash_state;

INLINE SHA_CODE hash_state state_of(const uint32_t words[8]) {
    return (hash_state){
        .abef = _mm_set_epi32((int)words[0], (int)words[1], (int)words[4], (int)words[5]),
        .cdgh = _mm_set_epi32((int)words[2], (int)words[3], (int)words[6], (int)words[7]),
    };
}

INLINE SHA_CODE __m128i first_half(hash_state state) {
    return _mm_shuffle_epi32(_mm_unpackhi_epi64(state.cdgh, state.abef), 0x1b);
}

INLINE SHA_CODE __m128i second_half(hash_state state) {
    return _mm_shuffle_epi32(_mm_unpacklo_epi64(state.cdgh, state.abef), 0x1b);
}

// One block for every lane. `w` is used up.
INLINE SHA_CODE void compress_sha(hash_state state[LANES], __m128i w[LANES][4]) {
    hash_state before[LANES];
#pragma clang loop unroll(full)
    for (int lane = 0; lane < LANES; lane++) before[lane] = state[lane];
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; i++) {
        const __m128i constants = _mm_load_si128((const __m128i *)(const void *)(round_constants + 4 * i));
#pragma clang loop unroll(full)
        for (int lane = 0; lane < LANES; lane++) {
            __m128i *m = w[lane];
            if (i >= 4) {
                const __m128i seventh = _mm_alignr_epi8(m[(i + 3) & 3], m[(i + 2) & 3], 4);
                const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(m[i & 3], m[(i + 1) & 3]), seventh);
                m[i & 3] = _mm_sha256msg2_epu32(sum, m[(i + 3) & 3]);
            }
            const __m128i words = _mm_add_epi32(m[i & 3], constants);
            state[lane].cdgh = _mm_sha256rnds2_epu32(state[lane].cdgh, state[lane].abef, words);
            state[lane].abef =
                _mm_sha256rnds2_epu32(state[lane].abef, state[lane].cdgh, _mm_shuffle_epi32(words, 0x0e));
        }
    }
#pragma clang loop unroll(full)
    for (int lane = 0; lane < LANES; lane++) {
        state[lane].abef = _mm_add_epi32(state[lane].abef, before[lane].abef);
        state[lane].cdgh = _mm_add_epi32(state[lane].cdgh, before[lane].cdgh);
    }
}

#endif

#endif
