#include "CMatching.h"
#include "sha256.h"

// An authentication code takes four blocks of SHA-256: the key for the inside, the message, the key for the outside, the inner hash. The
// first and the third are done once for each key, and the words that the message's rounds add once for each report.

#define BATCH VIGIL_VENUE_BATCH
#define MESSAGE 25

// What reports are tried by. Which of its numbers belong to which report depends on the instructions.
typedef struct {
    // What the rounds of the message's block add: 64 for each report.
    uint32_t words[64 * BATCH];
    // The code that the report has: 8 for each.
    uint32_t code[8 * BATCH];
} __attribute__((aligned(64))) batch;

// Of one report, in their order: 25 bytes, SHA-256's end, and the length in bits of the key's block and the message.
static void read_report(const uint8_t *report, uint32_t words[64], uint32_t code[8]) {
    uint32_t read[8], block[16] = {0};
    __builtin_memcpy(read, report, 24);
    for (int i = 0; i < 6; i++) block[i] = __builtin_bswap32(read[i]);
    block[6] = (uint32_t)report[24] << 24 | 0x800000;
    block[15] = 8 * (64 + MESSAGE);
    schedule(block, words);
    __builtin_memcpy(read, report + MESSAGE, 32);
    for (int i = 0; i < 8; i++) code[i] = __builtin_bswap32(read[i]);
}

static const uint32_t hash_end = 0x80000000, hash_length = 8 * (64 + 32);

// Reads a batch's report.
typedef void (*read_function)(const uint8_t *report, int place, batch *read);
// Says which of a batch's reports are authentic by a key: a bit for each.
typedef uint32_t (*trial_function)(const vigil_venue_key *key, const batch *tried);

// MARK: - Portable

// One report after another.
static void read_in_turn(const uint8_t *report, int place, batch *read) {
    read_report(report, read->words + 64 * place, read->code + 8 * place);
}

static uint32_t try_portable(const vigil_venue_key *key, const batch *tried) {
    uint32_t authentic = 0;
    for (int r = 0; r < BATCH; r++) {
        uint32_t inner[8], outer[8], block[16] = {0}, difference = 0;
        __builtin_memcpy(inner, key->inner, sizeof inner);
        __builtin_memcpy(outer, key->outer, sizeof outer);
        rounds(inner, tried->words + 64 * r);
        for (int i = 0; i < 8; i++) block[i] = inner[i];
        block[8] = hash_end, block[15] = hash_length;
        compress(outer, block);
        for (int i = 0; i < 8; i++) difference |= outer[i] ^ tried->code[8 * r + i];
        authentic |= (uint32_t)(difference == 0) << r;
    }
    return authentic;
}

#if defined(__x86_64__)

// MARK: - SHA instructions

SHA_CODE static uint32_t try_sha(const vigil_venue_key *key, const batch *tried) {
    const __m128i end = _mm_set_epi32(0, 0, 0, (int)hash_end), length = _mm_set_epi32((int)hash_length, 0, 0, 0);
    const hash_state inside = state_of(key->inner), outside = state_of(key->outer);
    uint32_t authentic = 0;
    for (int r = 0; r < BATCH; r += LANES) {
        hash_state state[LANES];
        __m128i w[LANES][4];
        for (int lane = 0; lane < LANES; lane++) state[lane] = inside;
#pragma clang loop unroll(full)
        for (int i = 0; i < 16; i++) {
#pragma clang loop unroll(full)
            for (int lane = 0; lane < LANES; lane++) {
                const uint32_t *four = tried->words + 64 * (r + lane) + 4 * i;
                const __m128i words = _mm_load_si128((const __m128i *)(const void *)four);
                state[lane].cdgh = _mm_sha256rnds2_epu32(state[lane].cdgh, state[lane].abef, words);
                state[lane].abef =
                    _mm_sha256rnds2_epu32(state[lane].abef, state[lane].cdgh, _mm_shuffle_epi32(words, 0x0e));
            }
        }
        for (int lane = 0; lane < LANES; lane++) {
            state[lane].abef = _mm_add_epi32(state[lane].abef, inside.abef);
            state[lane].cdgh = _mm_add_epi32(state[lane].cdgh, inside.cdgh);
            w[lane][0] = first_half(state[lane]), w[lane][1] = second_half(state[lane]);
            w[lane][2] = end, w[lane][3] = length;
            state[lane] = outside;
        }
        compress_sha(state, w);
        for (int lane = 0; lane < LANES; lane++) {
            const hash_state wanted = state_of(tried->code + 8 * (r + lane));
            const __m128i difference = _mm_or_si128(
                _mm_xor_si128(state[lane].abef, wanted.abef), _mm_xor_si128(state[lane].cdgh, wanted.cdgh));
            authentic |= (uint32_t)_mm_testz_si128(difference, difference) << (r + lane);
        }
    }
    return authentic;
}

// MARK: - AVX-512

#define WIDE_CODE __attribute__((target("avx512f")))
#define ROTATE _mm512_ror_epi32

// Of each word, those of sixteen reports.
static void read_side_by_side(const uint8_t *report, int place, batch *read) {
    uint32_t words[64], code[8];
    read_report(report, words, code);
    for (int i = 0; i < 64; i++) read->words[BATCH * i + place] = words[i];
    for (int i = 0; i < 8; i++) read->code[BATCH * i + place] = code[i];
}

INLINE WIDE_CODE __m512i all(uint32_t word) { return _mm512_set1_epi32((int)word); }

INLINE WIDE_CODE __m512i sum(__m512i a, __m512i b) { return _mm512_add_epi32(a, b); }

INLINE WIDE_CODE __m512i xor3(__m512i a, __m512i b, __m512i c) { return _mm512_ternarylogic_epi32(a, b, c, 0x96); }

// One round of sixteen hashes. The state's words change their names from round to round instead of their places.
INLINE WIDE_CODE void round_wide(__m512i s[8], int i, __m512i word) {
    const __m512i a = s[-i & 7], b = s[(1 - i) & 7], c = s[(2 - i) & 7];
    const __m512i e = s[(4 - i) & 7], f = s[(5 - i) & 7], g = s[(6 - i) & 7];
    const __m512i choice = _mm512_ternarylogic_epi32(e, f, g, 0xca);
    const __m512i majority = _mm512_ternarylogic_epi32(a, b, c, 0xe8);
    const __m512i one =
        sum(sum(s[(7 - i) & 7], word), sum(choice, xor3(ROTATE(e, 6), ROTATE(e, 11), ROTATE(e, 25))));
    s[(3 - i) & 7] = sum(s[(3 - i) & 7], one);
    s[(7 - i) & 7] = sum(one, sum(majority, xor3(ROTATE(a, 2), ROTATE(a, 13), ROTATE(a, 22))));
}

WIDE_CODE static uint32_t try_avx512(const vigil_venue_key *key, const batch *tried) {
    __m512i s[8], w[16];
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; i++) s[i] = all(key->inner[i]);
#pragma clang loop unroll(full)
    for (int i = 0; i < 64; i++) round_wide(s, i, _mm512_load_si512(tried->words + BATCH * i));
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; i++) {
        w[i] = sum(s[i], all(key->inner[i]));
        w[8 + i] = all(i == 0 ? hash_end : i == 7 ? hash_length : 0);
        s[i] = all(key->outer[i]);
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            const __m512i x = w[(i + 1) & 15], y = w[(i + 14) & 15];
            const __m512i early = xor3(ROTATE(x, 7), ROTATE(x, 18), _mm512_srli_epi32(x, 3));
            const __m512i late = xor3(ROTATE(y, 17), ROTATE(y, 19), _mm512_srli_epi32(y, 10));
            w[i & 15] = sum(sum(w[i & 15], early), sum(w[(i + 9) & 15], late));
        }
        round_wide(s, i, sum(w[i & 15], all(round_constants[i])));
    }
    __m512i difference = _mm512_setzero_si512();
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; i++) {
        const __m512i word = sum(s[i], all(key->outer[i]));
        const __m512i wanted = _mm512_load_si512(tried->code + BATCH * i);
        difference = _mm512_or_si512(difference, _mm512_xor_si512(word, wanted));
    }
    return _mm512_testn_epi32_mask(difference, difference);
}

vigil_venue_code vigil_venue_best_code(void) {
    // The widest cipher is chosen where the system keeps the widest registers.
    if (vigil_matching_best_cipher() == vigil_cipher_vaes512) return vigil_venue_avx512;
    return vigil_matching_best_hash() == vigil_hash_sha ? vigil_venue_sha : vigil_venue_portable;
}

static const read_function readers[] = {read_in_turn, read_in_turn, read_side_by_side};
static const trial_function trials[] = {try_portable, try_sha, try_avx512};

#else

vigil_venue_code vigil_venue_best_code(void) { return vigil_venue_portable; }

static const read_function readers[] = {read_in_turn};
static const trial_function trials[] = {try_portable};

#endif

// MARK: - All together

vigil_venue_key vigil_venue_prepare(const uint8_t key[32]) {
    vigil_venue_key prepared;
    uint32_t read[8], inner[16], outer[16];
    __builtin_memcpy(read, key, sizeof read);
    for (int i = 0; i < 16; i++) {
        const uint32_t word = i < 8 ? __builtin_bswap32(read[i]) : 0;
        inner[i] = word ^ inner_pad, outer[i] = word ^ outer_pad;
    }
    for (int i = 0; i < 8; i++) prepared.inner[i] = prepared.outer[i] = initial_state[i];
    compress(prepared.inner, inner);
    compress(prepared.outer, outer);
    return prepared;
}

size_t vigil_venue_matches(
    vigil_venue_code code, const vigil_venue_key *keys, size_t count, const uint8_t *reports, size_t number,
    vigil_venue_match *matches, size_t room, size_t *done) {
    if (code >= sizeof trials / sizeof *trials) __builtin_trap();
    const read_function read = readers[code];
    const trial_function authentic_by = trials[code];
    size_t found = 0, next = 0;
    batch tried;
    while (next < number && room - found >= BATCH * count) {
        const size_t size = number - next < BATCH ? number - next : BATCH;
        // The last batch is filled up with its first report, of which nothing is asked twice.
        for (size_t r = 0; r < BATCH; r++) {
            read(reports + (next + (r < size ? r : 0)) * VIGIL_VENUE_REPORT, (int)r, &tried);
        }
        for (size_t k = 0; k < count; k++) {
            uint32_t authentic = authentic_by(&keys[k], &tried) & ((1u << size) - 1);
            for (; __builtin_expect(authentic != 0, 0); authentic &= authentic - 1) {
                const uint32_t report = (uint32_t)next + (uint32_t)__builtin_ctz(authentic);
                matches[found++] = (vigil_venue_match){.report = report, .key = (uint32_t)k};
            }
        }
        next += size;
    }
    *done = next;
    return found;
}
