#include "CMatching.h"
#include "sha256.h"

#define BATCH VIGIL_MATCHING_BATCH

// A rolling proximity identifier key.
typedef struct {
    uint8_t bytes[16];
} identifier_key;

// MARK: What doesn't depend on the key
//
// The identifier key is HKDF-SHA256 without salt, with the information "EN-RPIK": six blocks of SHA-256, where the general
// way takes eight and copies more than it hashes.
//
//     prk = HMAC(key: 32 zero bytes, key data)           inner and outer state below, one block each
//     key = HMAC(key: prk, "EN-RPIK" and a byte 1)       four blocks

// The state of SHA-256 after one block of bytes 0x36, and after one of 0x5c: an HMAC whose key is zero begins with them.
static const uint32_t zero_key_inner[8] = {
    0xf454dead, 0x9725214f, 0x90daf2a0, 0xdf1228ea, 0x64e5750f, 0xa3924181, 0x824a932b, 0xf8e04e32,
};
static const uint32_t zero_key_outer[8] = {
    0xd385480f, 0x7abb6477, 0x37c9c538, 0x5dd82467, 0x8e043a72, 0x753434b0, 0xdeb82818, 0x361d45a6,
};
// "EN-RPIK", a byte 1, then SHA-256's padding of 64 + 8 bytes.
static const uint32_t information[16] = {
    0x454e2d52, 0x50494b01, 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8 * (64 + 8),
};
// An identifier is one block of AES-128: "EN-RPI", six zero bytes, and the interval, first byte in the lowest place.
static const uint8_t padded_data[16] __attribute__((aligned(16))) = "EN-RPI";

// MARK: Candidates

typedef struct {
    vigil_matching_filter filter;
    vigil_matching_candidate *next;
} sieve;

// Identifiers of consecutive intervals of one key, `count` of them.
typedef struct {
    const uint8_t *identifiers;
    uint32_t count, key, interval;
} stretch;

INLINE uint64_t word_at(const uint8_t *bytes) {
    uint64_t word;
    __builtin_memcpy(&word, bytes, sizeof word);
    return word;
}

INLINE uint64_t passes(const uint64_t *words, uint32_t shift, uint64_t number) {
    return words[(uint32_t)number >> shift] >> (number & 63) & 1;
}

// Keeps those of at most 16 identifiers that pass the filter. Most often that is none of them, so all are asked before the first
// decision. There is memory for 16, however many count.
INLINE void keep(sieve *kept, stretch asked) {
    const uint64_t *words = kept->filter.words;
    const uint32_t shift = kept->filter.shift & 31;
    uint64_t any = 0;
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; i++) {
        uint32_t number;
        __builtin_memcpy(&number, asked.identifiers + 16 * i, sizeof number);
        any |= words[number >> shift] >> (number & 63);
    }
    if (__builtin_expect((any & 1) == 0, 1)) return;
    // Which they are, without a decision for each; of those that count.
    uint32_t passed = 0;
    for (int i = 0; i < 16; i++) passed |= (uint32_t)passes(words, shift, word_at(asked.identifiers + 16 * i)) << i;
    for (passed &= (1u << asked.count) - 1; passed != 0; passed &= passed - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(passed);
        const uint64_t first = word_at(asked.identifiers + 16 * i);
        *kept->next++ = (vigil_matching_candidate){
            .first = first,
            .second = word_at(asked.identifiers + 16 * i + 8),
            .key = asked.key,
            .interval = asked.interval + i,
        };
    }
}

static inline uint32_t at_most(uint32_t limit, uint32_t number) { return number < limit ? number : limit; }

static inline uint32_t periods_length(const vigil_matching_key *key) {
    return at_most(VIGIL_MATCHING_PER_KEY, key->length);
}

// MARK: - Portable

static void derive_portable(const vigil_matching_key keys[BATCH], identifier_key derived[BATCH]) {
    for (int k = 0; k < BATCH; k++) {
        uint32_t prk[8], state[8], block[16] = {
            (uint32_t)(keys[k].high >> 32), (uint32_t)keys[k].high, (uint32_t)(keys[k].low >> 32),
            (uint32_t)keys[k].low, 0x80000000,
        };
        block[15] = 8 * (64 + 16);
        for (int i = 0; i < 8; i++) state[i] = zero_key_inner[i];
        compress(state, block);
        for (int i = 0; i < 8; i++) block[i] = state[i], prk[i] = zero_key_outer[i];
        block[8] = 0x80000000, block[15] = 8 * (64 + 32);
        compress(prk, block);

        for (int i = 0; i < 16; i++) block[i] = (i < 8 ? prk[i] : 0) ^ inner_pad;
        for (int i = 0; i < 8; i++) state[i] = initial_state[i];
        compress(state, block);
        compress(state, information);
        uint32_t outer[8];
        for (int i = 0; i < 16; i++) block[i] = (i < 8 ? prk[i] : 0) ^ outer_pad;
        for (int i = 0; i < 8; i++) outer[i] = initial_state[i];
        compress(outer, block);
        for (int i = 0; i < 16; i++) block[i] = i < 8 ? state[i] : 0;
        block[8] = 0x80000000, block[15] = 8 * (64 + 32);
        compress(outer, block);
        for (int i = 0; i < 4; i++) {
            const uint32_t swapped = __builtin_bswap32(outer[i]);
            __builtin_memcpy(derived[k].bytes + 4 * i, &swapped, 4);
        }
    }
}

// Substitution and column mix of AES for the first row, as a column with the first row in the lowest place; the other rows
// are rotations. How long a look-up takes depends on what was encrypted. That tells nobody anything: published keys are
// public, and what this phone heard never goes through here.
static const uint32_t mixed_columns[256] = {
    0xa56363c6, 0x847c7cf8, 0x997777ee, 0x8d7b7bf6, 0x0df2f2ff, 0xbd6b6bd6, 0xb16f6fde, 0x54c5c591,
    0x50303060, 0x03010102, 0xa96767ce, 0x7d2b2b56, 0x19fefee7, 0x62d7d7b5, 0xe6abab4d, 0x9a7676ec,
    0x45caca8f, 0x9d82821f, 0x40c9c989, 0x877d7dfa, 0x15fafaef, 0xeb5959b2, 0xc947478e, 0x0bf0f0fb,
    0xecadad41, 0x67d4d4b3, 0xfda2a25f, 0xeaafaf45, 0xbf9c9c23, 0xf7a4a453, 0x967272e4, 0x5bc0c09b,
    0xc2b7b775, 0x1cfdfde1, 0xae93933d, 0x6a26264c, 0x5a36366c, 0x413f3f7e, 0x02f7f7f5, 0x4fcccc83,
    0x5c343468, 0xf4a5a551, 0x34e5e5d1, 0x08f1f1f9, 0x937171e2, 0x73d8d8ab, 0x53313162, 0x3f15152a,
    0x0c040408, 0x52c7c795, 0x65232346, 0x5ec3c39d, 0x28181830, 0xa1969637, 0x0f05050a, 0xb59a9a2f,
    0x0907070e, 0x36121224, 0x9b80801b, 0x3de2e2df, 0x26ebebcd, 0x6927274e, 0xcdb2b27f, 0x9f7575ea,
    0x1b090912, 0x9e83831d, 0x742c2c58, 0x2e1a1a34, 0x2d1b1b36, 0xb26e6edc, 0xee5a5ab4, 0xfba0a05b,
    0xf65252a4, 0x4d3b3b76, 0x61d6d6b7, 0xceb3b37d, 0x7b292952, 0x3ee3e3dd, 0x712f2f5e, 0x97848413,
    0xf55353a6, 0x68d1d1b9, 0x00000000, 0x2cededc1, 0x60202040, 0x1ffcfce3, 0xc8b1b179, 0xed5b5bb6,
    0xbe6a6ad4, 0x46cbcb8d, 0xd9bebe67, 0x4b393972, 0xde4a4a94, 0xd44c4c98, 0xe85858b0, 0x4acfcf85,
    0x6bd0d0bb, 0x2aefefc5, 0xe5aaaa4f, 0x16fbfbed, 0xc5434386, 0xd74d4d9a, 0x55333366, 0x94858511,
    0xcf45458a, 0x10f9f9e9, 0x06020204, 0x817f7ffe, 0xf05050a0, 0x443c3c78, 0xba9f9f25, 0xe3a8a84b,
    0xf35151a2, 0xfea3a35d, 0xc0404080, 0x8a8f8f05, 0xad92923f, 0xbc9d9d21, 0x48383870, 0x04f5f5f1,
    0xdfbcbc63, 0xc1b6b677, 0x75dadaaf, 0x63212142, 0x30101020, 0x1affffe5, 0x0ef3f3fd, 0x6dd2d2bf,
    0x4ccdcd81, 0x140c0c18, 0x35131326, 0x2fececc3, 0xe15f5fbe, 0xa2979735, 0xcc444488, 0x3917172e,
    0x57c4c493, 0xf2a7a755, 0x827e7efc, 0x473d3d7a, 0xac6464c8, 0xe75d5dba, 0x2b191932, 0x957373e6,
    0xa06060c0, 0x98818119, 0xd14f4f9e, 0x7fdcdca3, 0x66222244, 0x7e2a2a54, 0xab90903b, 0x8388880b,
    0xca46468c, 0x29eeeec7, 0xd3b8b86b, 0x3c141428, 0x79dedea7, 0xe25e5ebc, 0x1d0b0b16, 0x76dbdbad,
    0x3be0e0db, 0x56323264, 0x4e3a3a74, 0x1e0a0a14, 0xdb494992, 0x0a06060c, 0x6c242448, 0xe45c5cb8,
    0x5dc2c29f, 0x6ed3d3bd, 0xefacac43, 0xa66262c4, 0xa8919139, 0xa4959531, 0x37e4e4d3, 0x8b7979f2,
    0x32e7e7d5, 0x43c8c88b, 0x5937376e, 0xb76d6dda, 0x8c8d8d01, 0x64d5d5b1, 0xd24e4e9c, 0xe0a9a949,
    0xb46c6cd8, 0xfa5656ac, 0x07f4f4f3, 0x25eaeacf, 0xaf6565ca, 0x8e7a7af4, 0xe9aeae47, 0x18080810,
    0xd5baba6f, 0x887878f0, 0x6f25254a, 0x722e2e5c, 0x241c1c38, 0xf1a6a657, 0xc7b4b473, 0x51c6c697,
    0x23e8e8cb, 0x7cdddda1, 0x9c7474e8, 0x211f1f3e, 0xdd4b4b96, 0xdcbdbd61, 0x868b8b0d, 0x858a8a0f,
    0x907070e0, 0x423e3e7c, 0xc4b5b571, 0xaa6666cc, 0xd8484890, 0x05030306, 0x01f6f6f7, 0x120e0e1c,
    0xa36161c2, 0x5f35356a, 0xf95757ae, 0xd0b9b969, 0x91868617, 0x58c1c199, 0x271d1d3a, 0xb99e9e27,
    0x38e1e1d9, 0x13f8f8eb, 0xb398982b, 0x33111122, 0xbb6969d2, 0x70d9d9a9, 0x898e8e07, 0xa7949433,
    0xb69b9b2d, 0x221e1e3c, 0x92878715, 0x20e9e9c9, 0x49cece87, 0xff5555aa, 0x78282850, 0x7adfdfa5,
    0x8f8c8c03, 0xf8a1a159, 0x80898909, 0x170d0d1a, 0xdabfbf65, 0x31e6e6d7, 0xc6424284, 0xb86868d0,
    0xc3414182, 0xb0999929, 0x772d2d5a, 0x110f0f1e, 0xcbb0b07b, 0xfc5454a8, 0xd6bbbb6d, 0x3a16162c,
};

static inline uint32_t substituted(uint32_t byte) { return mixed_columns[byte & 0xff] >> 8 & 0xff; }

// The bytes on the diagonal that begins in column `a`, substituted and mixed.
static inline uint32_t mixed(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return mixed_columns[a & 0xff] ^ rotate(mixed_columns[b >> 8 & 0xff], 24) ^
        rotate(mixed_columns[c >> 16 & 0xff], 16) ^ rotate(mixed_columns[d >> 24], 8);
}

static inline uint32_t unmixed(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return substituted(a) | substituted(b >> 8) << 8 | substituted(c >> 16) << 16 | substituted(d >> 24) << 24;
}

static void encrypt_portable(const uint32_t round_keys[44], uint32_t interval, uint8_t identifier[16]) {
    uint32_t s[4], t[4];
    __builtin_memcpy(s, padded_data, sizeof s);
    s[3] = interval;
    for (int i = 0; i < 4; i++) s[i] ^= round_keys[i];
    for (int round = 1; round < 10; round++) {
        for (int i = 0; i < 4; i++) {
            t[i] = mixed(s[i], s[(i + 1) & 3], s[(i + 2) & 3], s[(i + 3) & 3]) ^ round_keys[4 * round + i];
        }
        for (int i = 0; i < 4; i++) s[i] = t[i];
    }
    for (int i = 0; i < 4; i++) {
        t[i] = unmixed(s[i], s[(i + 1) & 3], s[(i + 2) & 3], s[(i + 3) & 3]) ^ round_keys[40 + i];
    }
    __builtin_memcpy(identifier, t, sizeof t);
}

static void scan_portable(
    const vigil_matching_key *keys, const identifier_key derived[BATCH], uint32_t count, uint32_t first, sieve *kept) {
    for (uint32_t k = 0; k < count; k++) {
        uint32_t round_keys[44], constant = 1;
        __builtin_memcpy(round_keys, derived[k].bytes, 16);
        for (int i = 4; i < 44; i++) {
            uint32_t word = round_keys[i - 1];
            if (i % 4 == 0) {
                word = rotate(word, 8);
                word = unmixed(word, word, word, word) ^ constant;
                constant = (constant << 1) ^ (constant >> 7) * 0x11b;
            }
            round_keys[i] = round_keys[i - 4] ^ word;
        }
        const uint32_t length = periods_length(&keys[k]);
        for (uint32_t done = 0; done < length; done += 16) {
            uint8_t identifiers[16 * 16];
            for (uint32_t i = 0; i < 16; i++) {
                encrypt_portable(round_keys, keys[k].start + done + i, identifiers + 16 * i);
            }
            keep(kept, (stretch){identifiers, at_most(16, length - done), first + k, keys[k].start + done});
        }
    }
}

#if defined(__x86_64__)

// MARK: - x86

#include <cpuid.h>

#define AES_CODE __attribute__((target("aes,sse4.1,ssse3")))
#define VAES256_CODE __attribute__((target("vaes,avx2,bmi2,aes")))
#define VAES512_CODE __attribute__((target("vaes,avx512f,avx2,bmi2,aes")))

// MARK: SHA-256

SHA_CODE static void derive_sha(const vigil_matching_key keys[BATCH], identifier_key derived[BATCH]) {
    const __m128i inner = _mm_set1_epi32((int)inner_pad), outer = _mm_set1_epi32((int)outer_pad);
    const __m128i zero = _mm_setzero_si128(), end = _mm_set_epi32(0, 0, 0, (int)0x80000000);
    const __m128i length_of_key = _mm_set_epi32(8 * (64 + 16), 0, 0, 0);
    const __m128i length_of_hash = _mm_set_epi32(8 * (64 + 32), 0, 0, 0);
    for (int k = 0; k < BATCH; k += LANES) {
        hash_state prk[LANES], state[LANES], result[LANES];
        __m128i w[LANES][4];
        for (int lane = 0; lane < LANES; lane++) {
            const vigil_matching_key *key = &keys[k + lane];
            state[lane] = state_of(zero_key_inner);
            w[lane][0] = _mm_shuffle_epi32(_mm_set_epi64x((int64_t)key->low, (int64_t)key->high), 0xb1);
            w[lane][1] = end, w[lane][2] = zero, w[lane][3] = length_of_key;
        }
        compress_sha(state, w);
        for (int lane = 0; lane < LANES; lane++) {
            prk[lane] = state_of(zero_key_outer);
            w[lane][0] = first_half(state[lane]), w[lane][1] = second_half(state[lane]);
            w[lane][2] = end, w[lane][3] = length_of_hash;
        }
        compress_sha(prk, w);

        for (int lane = 0; lane < LANES; lane++) {
            state[lane] = state_of(initial_state);
            w[lane][0] = _mm_xor_si128(first_half(prk[lane]), inner);
            w[lane][1] = _mm_xor_si128(second_half(prk[lane]), inner);
            w[lane][2] = inner, w[lane][3] = inner;
        }
        compress_sha(state, w);
        for (int lane = 0; lane < LANES; lane++) {
            for (int i = 0; i < 4; i++) {
                w[lane][i] = _mm_loadu_si128((const __m128i *)(const void *)(information + 4 * i));
            }
        }
        compress_sha(state, w);
        for (int lane = 0; lane < LANES; lane++) {
            result[lane] = state_of(initial_state);
            w[lane][0] = _mm_xor_si128(first_half(prk[lane]), outer);
            w[lane][1] = _mm_xor_si128(second_half(prk[lane]), outer);
            w[lane][2] = outer, w[lane][3] = outer;
        }
        compress_sha(result, w);
        for (int lane = 0; lane < LANES; lane++) {
            w[lane][0] = first_half(state[lane]), w[lane][1] = second_half(state[lane]);
            w[lane][2] = end, w[lane][3] = length_of_hash;
        }
        compress_sha(result, w);
        const __m128i swap = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
        for (int lane = 0; lane < LANES; lane++) {
            const __m128i bytes = _mm_shuffle_epi8(first_half(result[lane]), swap);
            _mm_storeu_si128((__m128i *)(void *)derived[k + lane].bytes, bytes);
        }
    }
}

// MARK: AES-128

// The first look at an identifier would wait for its encryption, and with it all that comes after. So identifiers are looked
// up while the next ones are encrypted: that alone was a seventh of the time.

// Round keys of a batch: a round of one key takes long, but doesn't wait for another key's.
typedef struct {
    __m128i rounds[BATCH][11];
} key_schedules;

// The substituted last column, in all four places, comes from the instruction for the last round: with four equal columns its
// row shifts change nothing.
INLINE AES_CODE void expand(const identifier_key derived[BATCH], key_schedules *schedules) {
    static const int constants[10] = {1, 2, 4, 8, 16, 32, 64, 128, 0x1b, 0x36};
    // The last column, its bytes rotated by one.
    const __m128i rotated = _mm_set1_epi32(0x0c0f0e0d);
    __m128i key[BATCH];
#pragma clang loop unroll(full)
    for (int k = 0; k < BATCH; k++) {
        key[k] = _mm_loadu_si128((const __m128i *)(const void *)derived[k].bytes);
        schedules->rounds[k][0] = key[k];
    }
#pragma clang loop unroll(full)
    for (int round = 0; round < 10; round++) {
        const __m128i constant = _mm_set1_epi32(constants[round]);
#pragma clang loop unroll(full)
        for (int k = 0; k < BATCH; k++) {
            const __m128i column = _mm_aesenclast_si128(_mm_shuffle_epi8(key[k], rotated), constant);
            __m128i sums = _mm_xor_si128(key[k], _mm_slli_si128(key[k], 4));
            sums = _mm_xor_si128(sums, _mm_slli_si128(sums, 8));
            key[k] = _mm_xor_si128(sums, column);
            schedules->rounds[k][round + 1] = key[k];
        }
    }
}

AES_CODE static void scan_aes(
    const vigil_matching_key *keys, const identifier_key derived[BATCH], uint32_t count, uint32_t first, sieve *kept) {
    key_schedules schedules;
    expand(derived, &schedules);
    const __m128i data = _mm_load_si128((const __m128i *)(const void *)padded_data);
    __m128i identifiers[2][16];
    stretch before = {.count = 0};
    int turn = 0;
    for (uint32_t k = 0; k < count; k++) {
        const __m128i *round_keys = schedules.rounds[k];
        // The padded data is in the first round key already; what is left is the interval.
        const __m128i whitening = _mm_xor_si128(round_keys[0], data);
        const uint32_t length = periods_length(&keys[k]);
        for (uint32_t done = 0; done < length; done += 16) {
#pragma clang loop unroll(full)
            for (uint32_t half = 0; half < 16; half += 8) {
                __m128i block[8];
#pragma clang loop unroll(full)
                for (uint32_t i = 0; i < 8; i++) {
                    const __m128i interval = _mm_set_epi32((int)(keys[k].start + done + half + i), 0, 0, 0);
                    block[i] = _mm_xor_si128(interval, whitening);
                }
#pragma clang loop unroll(full)
                for (int round = 1; round < 10; round++) {
                    for (int i = 0; i < 8; i++) block[i] = _mm_aesenc_si128(block[i], round_keys[round]);
                }
#pragma clang loop unroll(full)
                for (int i = 0; i < 8; i++) identifiers[turn][half + i] = _mm_aesenclast_si128(block[i], round_keys[10]);
            }
            if (before.count > 0) keep(kept, before);
            before = (stretch){
                (const uint8_t *)identifiers[turn], at_most(16, length - done), first + k, keys[k].start + done};
            turn ^= 1;
        }
    }
    if (before.count > 0) keep(kept, before);
}

VAES256_CODE static void scan_vaes256(
    const vigil_matching_key *keys, const identifier_key derived[BATCH], uint32_t count, uint32_t first, sieve *kept) {
    key_schedules schedules;
    expand(derived, &schedules);
    const __m128i data = _mm_load_si128((const __m128i *)(const void *)padded_data);
    __m256i identifiers[2][8];
    stretch before = {.count = 0};
    int turn = 0;
    for (uint32_t k = 0; k < count; k++) {
        const __m256i whitening = _mm256_broadcastsi128_si256(_mm_xor_si128(schedules.rounds[k][0], data));
        __m256i round_keys[11];
#pragma clang loop unroll(full)
        for (int round = 1; round < 11; round++) {
            round_keys[round] = _mm256_broadcastsi128_si256(schedules.rounds[k][round]);
        }
        const uint32_t length = periods_length(&keys[k]);
        const int start = (int)keys[k].start;
        __m256i interval = _mm256_add_epi32(
            _mm256_set_epi32(start, 0, 0, 0, start, 0, 0, 0), _mm256_set_epi32(1, 0, 0, 0, 0, 0, 0, 0));
        const __m256i two = _mm256_set_epi32(2, 0, 0, 0, 2, 0, 0, 0);
        for (uint32_t done = 0; done < length; done += 16) {
            __m256i block[8];
#pragma clang loop unroll(full)
            for (int i = 0; i < 8; i++) {
                block[i] = _mm256_xor_si256(interval, whitening);
                interval = _mm256_add_epi32(interval, two);
            }
#pragma clang loop unroll(full)
            for (int round = 1; round < 10; round++) {
#pragma clang loop unroll(full)
                for (int i = 0; i < 8; i++) block[i] = _mm256_aesenc_epi128(block[i], round_keys[round]);
            }
#pragma clang loop unroll(full)
            for (int i = 0; i < 8; i++) identifiers[turn][i] = _mm256_aesenclast_epi128(block[i], round_keys[10]);
            if (before.count > 0) keep(kept, before);
            before = (stretch){
                (const uint8_t *)identifiers[turn], at_most(16, length - done), first + k, keys[k].start + done};
            turn ^= 1;
        }
    }
    if (before.count > 0) keep(kept, before);
}

INLINE void keep_48(sieve *kept, stretch asked) {
    for (uint32_t part = 0; part < asked.count; part += 16) {
        keep(
            kept, (stretch){
                asked.identifiers + 16 * part, at_most(16, asked.count - part), asked.key, asked.interval + part});
    }
}

VAES512_CODE static void scan_vaes512(
    const vigil_matching_key *keys, const identifier_key derived[BATCH], uint32_t count, uint32_t first, sieve *kept) {
    key_schedules schedules;
    expand(derived, &schedules);
    const __m128i data = _mm_load_si128((const __m128i *)(const void *)padded_data);
    __m512i identifiers[2][12];
    stretch before = {.count = 0};
    int turn = 0;
    for (uint32_t k = 0; k < count; k++) {
        const __m512i whitening = _mm512_broadcast_i32x4(_mm_xor_si128(schedules.rounds[k][0], data));
        __m512i round_keys[11];
#pragma clang loop unroll(full)
        for (int round = 1; round < 11; round++) {
            round_keys[round] = _mm512_broadcast_i32x4(schedules.rounds[k][round]);
        }
        const uint32_t length = periods_length(&keys[k]);
        const int start = (int)keys[k].start;
        __m512i interval = _mm512_add_epi32(
            _mm512_set_epi32(start, 0, 0, 0, start, 0, 0, 0, start, 0, 0, 0, start, 0, 0, 0),
            _mm512_set_epi32(3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0));
        const __m512i four = _mm512_set_epi32(4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0);
        // 48 intervals at a time, a third of a day, keep as many instructions under way as these processors can.
        for (uint32_t done = 0; done < length; done += 48) {
            __m512i block[12];
#pragma clang loop unroll(full)
            for (int i = 0; i < 12; i++) {
                block[i] = _mm512_xor_si512(interval, whitening);
                interval = _mm512_add_epi32(interval, four);
            }
#pragma clang loop unroll(full)
            for (int round = 1; round < 10; round++) {
#pragma clang loop unroll(full)
                for (int i = 0; i < 12; i++) block[i] = _mm512_aesenc_epi128(block[i], round_keys[round]);
            }
#pragma clang loop unroll(full)
            for (int i = 0; i < 12; i++) identifiers[turn][i] = _mm512_aesenclast_epi128(block[i], round_keys[10]);
            keep_48(kept, before);
            before = (stretch){
                (const uint8_t *)identifiers[turn], at_most(48, length - done), first + k, keys[k].start + done};
            turn ^= 1;
        }
    }
    keep_48(kept, before);
}

// MARK: What the processor has

// A bit of the answer to a question that not every processor understands.
static int has(unsigned leaf, int word, int bit) {
    unsigned answer[4] = {0};
    if (!__get_cpuid_count(leaf, 0, &answer[0], &answer[1], &answer[2], &answer[3])) return 0;
    return answer[word] >> bit & 1;
}

// Which registers the operating system keeps for each thread; the wide ones are of no use if it doesn't.
static unsigned kept_registers(void) {
    if (!has(1, 2, 27)) return 0;
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

vigil_matching_hash vigil_matching_best_hash(void) {
    // SSSE3 and SSE4.1 are older than SHA.
    return has(7, 1, 29) && has(1, 2, 9) && has(1, 2, 19) ? vigil_hash_sha : vigil_hash_portable;
}

vigil_matching_cipher vigil_matching_best_cipher(void) {
    if (!(has(1, 2, 25) && has(1, 2, 9) && has(1, 2, 19))) return vigil_cipher_portable;
    // Of leaf 7: BMI2, AVX2 and VAES, then AVX-512F.
    if (!(has(7, 1, 8) && has(7, 1, 5) && has(7, 2, 9) && (kept_registers() & 0x06) == 0x06)) return vigil_cipher_aes;
    return has(7, 1, 16) && (kept_registers() & 0xe6) == 0xe6 ? vigil_cipher_vaes512 : vigil_cipher_vaes256;
}

#else

vigil_matching_hash vigil_matching_best_hash(void) { return vigil_hash_portable; }
vigil_matching_cipher vigil_matching_best_cipher(void) { return vigil_cipher_portable; }

#endif

// MARK: - All together

typedef void (*derive_function)(const vigil_matching_key *, identifier_key *);
typedef void (*scan_function)(const vigil_matching_key *, const identifier_key *, uint32_t, uint32_t, sieve *);

#if defined(__x86_64__)
static const derive_function derivations[] = {derive_portable, derive_sha};
static const scan_function scans[] = {scan_portable, scan_aes, scan_vaes256, scan_vaes512};
#else
static const derive_function derivations[] = {derive_portable};
static const scan_function scans[] = {scan_portable};
#endif

size_t vigil_matching_candidates(
    vigil_matching_hash hash, vigil_matching_cipher cipher, const vigil_matching_key *keys, size_t count,
    vigil_matching_filter filter, vigil_matching_candidate *candidates, size_t room, size_t *done) {
    if (hash >= sizeof derivations / sizeof *derivations || cipher >= sizeof scans / sizeof *scans) __builtin_trap();
    const derive_function derive = derivations[hash];
    const scan_function scan = scans[cipher];
    sieve kept = {.filter = filter, .next = candidates};
    size_t next = 0;
    while (next < count && room - (size_t)(kept.next - candidates) >= BATCH * VIGIL_MATCHING_PER_KEY) {
        const size_t number = count - next < BATCH ? count - next : BATCH;
        identifier_key derived[BATCH];
        vigil_matching_key last[BATCH] = {{0}};
        const vigil_matching_key *batch = keys + next;
        // The last keys are filled up with others, of which nothing is asked.
        if (number < BATCH) {
            for (size_t k = 0; k < number; k++) last[k] = batch[k];
            batch = last;
        }
        derive(batch, derived);
        scan(batch, derived, (uint32_t)number, (uint32_t)next, &kept);
        next += number;
    }
    *done = next;
    return (size_t)(kept.next - candidates);
}
