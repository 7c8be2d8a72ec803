// What a phone computes for every published key, and for every report about a venue: the parts of the suite where a phone's
// battery is spent.
#ifndef VIGIL_MATCHING_H
#define VIGIL_MATCHING_H

#include <stddef.h>
#include <stdint.h>

// MARK: Keys
//
// The broadcasts of every published key, and whether any of them may be one that was heard (Exposure Notification Cryptography
// Specification 1.2). Some 28,000 keys a day in a country, 144 broadcasts each.

// A published key and when it was in use.
typedef struct {
    // Its 16 bytes as two numbers, the first byte in the highest place.
    uint64_t high, low;
    // The first interval, and how many there are: 1 to 144. What is more than 144 is left out. Numbers of intervals go on
    // with 0 after the largest.
    uint32_t start, length;
} vigil_matching_key;

// A broadcast that passed the filter.
typedef struct {
    // Its 16 bytes as two numbers, the first byte in the lowest place.
    uint64_t first, second;
    // Which of the keys it is of, and when it was sent.
    uint32_t key, interval;
} vigil_matching_candidate;

// A set of bits that says of most identifiers that they were not heard. The place of an identifier follows from its first
// four bytes, read as a number `n` with the first byte in the lowest place: bit `n % 64` of word `n >> shift`.
typedef struct {
    const uint64_t *words;
    // 6 to 31; there are 2 to the power of (32 - shift) words.
    uint32_t shift;
} vigil_matching_filter;

// The instructions that hashing and encrypting use. All give the same results.
typedef enum { vigil_hash_portable = 0, vigil_hash_sha = 1 } vigil_matching_hash;
typedef enum {
    vigil_cipher_portable = 0,
    // One block an instruction.
    vigil_cipher_aes = 1,
    // Two.
    vigil_cipher_vaes256 = 2,
    // Four.
    vigil_cipher_vaes512 = 3,
} vigil_matching_cipher;

// The best that this processor, and the system on it, has. What is not better than it can be chosen, too; anything else is
// an instruction that the processor doesn't know, and ends the process. Asking takes microseconds: ask once.
vigil_matching_hash vigil_matching_best_hash(void);
vigil_matching_cipher vigil_matching_best_cipher(void);

// How many candidates one key may have.
#define VIGIL_MATCHING_PER_KEY 144
// How many keys are done at one time. There must be room for the candidates of so many.
#define VIGIL_MATCHING_BATCH 8

// Computes the broadcasts of keys, in the order of keys and of intervals, and keeps those that pass the filter.
//
// Returns how many candidates there are. `done` becomes the number of keys for which there was room: call again with the
// others. A key's number in a candidate counts from the first key of the call.
size_t vigil_matching_candidates(
    vigil_matching_hash hash, vigil_matching_cipher cipher, const vigil_matching_key *keys, size_t count,
    vigil_matching_filter filter, vigil_matching_candidate *candidates, size_t room, size_t *done);

// MARK: Reports about venues
//
// Which reports are of a venue that the phone knows: those whose authentication code, HMAC-SHA-256 over their first 25 bytes, is
// right by the venue's key. Nothing else tells, so every report is tried with every key.

// The bytes of a report: 25 that are authenticated, then the code.
#define VIGIL_VENUE_REPORT 57

// How many reports are tried at one time.
#define VIGIL_VENUE_BATCH 16

// The instructions that trials use. All give the same results.
typedef enum {
    vigil_venue_portable = 0,
    // The processor's own for SHA-256.
    vigil_venue_sha = 1,
    // Sixteen reports side by side.
    vigil_venue_avx512 = 2,
} vigil_venue_code;

// The best that this processor, and the system on it, has. What is not better than it can be chosen, too.
vigil_venue_code vigil_venue_best_code(void);

// An authentication key, after the blocks of HMAC that depend on the key alone.
typedef struct {
    uint32_t inner[8], outer[8];
} vigil_venue_key;

// A report and the key that it is authentic by, as their numbers.
typedef struct {
    uint32_t report, key;
} vigil_venue_match;

// Prepares a key of 32 bytes.
vigil_venue_key vigil_venue_prepare(const uint8_t key[32]);

// Finds the authentic ones of reports that lie one after another.
//
// There must be room for as many matches as a batch of reports and all keys give. Returns how many there are, in no order. `done` becomes
// the number of reports for which there was room: call again with the others. A report's number counts from the first report of the call.
//
// How long a trial takes doesn't depend on where codes differ. That there was a match can be seen by the time it takes: who measures that
// watches the phone itself.
size_t vigil_venue_matches(
    vigil_venue_code code, const vigil_venue_key *keys, size_t count, const uint8_t *reports, size_t number,
    vigil_venue_match *matches, size_t room, size_t *done);

#endif
