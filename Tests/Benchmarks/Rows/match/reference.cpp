// What deploy/bench.sh compares the reference phone's matching with: the way Google published for its phones, over OpenSSL.
//
// For each key HKDF, then one EVP call over 144 blocks, then a look-up of each identifier by its first two bytes. Of the ways
// to say it to OpenSSL 3 it is the fastest that was found: algorithms fetched once, contexts used again, HKDF as its two HMACs
// (0.8 microseconds where EVP_KDF takes 2.6), and no look-up after the key's period.
//
// The keys and what was heard are those of Tests/Benchmarks/Matching.swift. Prints the same two lines.
// HMAC with a context of its own is deprecated and the fastest.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kIntervals = 144;
constexpr int kSize = 16;
constexpr uint32_t kTolerance = 12;
constexpr uint32_t kFirstInterval = 2642976;

using Identifier = std::array<uint8_t, kSize>;

struct Key {
    uint64_t high;
    Identifier data;
    uint32_t start, length;
};

struct Heard {
    Identifier identifier;
    uint32_t interval;
};

struct Match {
    uint64_t high;
    uint32_t interval;
};

// SplitMix64, as in Tests/Benchmarks.
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint64_t next() {
        uint64_t mixed = state_ += 0x9E3779B97F4A7C15;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
        return mixed ^ (mixed >> 31);
    }

  private:
    uint64_t state_;
};

void require(bool is_true) {
    if (!is_true) {
        std::fprintf(stderr, "OpenSSL failed.\n");
        std::exit(1);
    }
}

// A day's broadcasts of one key.
class Schedule {
  public:
    Schedule() {
        for (int i = 0; i < kIntervals; i++) std::memcpy(&input_[kSize * i], "EN-RPI\0\0\0\0\0", 12);
        EVP_CIPHER_CTX_set_padding(cipher_context_, 0);
    }

    const uint8_t *identifiers(const Key &key) {
        static const uint8_t salt[32] = {0};
        static const uint8_t information[] = {'E', 'N', '-', 'R', 'P', 'I', 'K', 1};
        uint8_t prk[32], okm[32];
        require(HMAC_Init_ex(hmac_, salt, sizeof salt, digest_, nullptr) == 1);
        require(HMAC_Update(hmac_, key.data.data(), kSize) == 1 && HMAC_Final(hmac_, prk, nullptr) == 1);
        require(HMAC_Init_ex(hmac_, prk, sizeof prk, digest_, nullptr) == 1);
        require(HMAC_Update(hmac_, information, sizeof information) == 1 && HMAC_Final(hmac_, okm, nullptr) == 1);
        require(EVP_EncryptInit_ex2(cipher_context_, cipher_, okm, nullptr, nullptr) == 1);
        for (uint32_t i = 0; i < kIntervals; i++) {
            const uint32_t interval = key.start + i;
            std::memcpy(&input_[kSize * i + 12], &interval, sizeof interval);
        }
        int length = 0;
        require(EVP_EncryptUpdate(cipher_context_, output_, &length, input_, sizeof input_) == 1);
        require(length == sizeof input_);
        return output_;
    }

  private:
    EVP_MD *digest_ = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    EVP_CIPHER *cipher_ = EVP_CIPHER_fetch(nullptr, "AES-128-ECB", nullptr);
    HMAC_CTX *hmac_ = HMAC_CTX_new();
    EVP_CIPHER_CTX *cipher_context_ = EVP_CIPHER_CTX_new();
    uint8_t input_[kIntervals * kSize];
    uint8_t output_[kIntervals * kSize + kSize];
};

// What was heard, sorted by the first two bytes; for each of their values, where its part ends.
class PrefixMap {
  public:
    explicit PrefixMap(std::vector<Heard> heard) : heard_(std::move(heard)), ends_(65537, 0) {
        std::sort(heard_.begin(), heard_.end(), [](const Heard &a, const Heard &b) {
            return prefix(a.identifier.data()) < prefix(b.identifier.data());
        });
        for (const Heard &one : heard_) ends_[prefix(one.identifier.data()) + 1]++;
        for (size_t i = 1; i < ends_.size(); i++) ends_[i] += ends_[i - 1];
    }

    bool was_heard(const uint8_t *identifier, uint32_t interval) const {
        const unsigned place = prefix(identifier);
        for (uint32_t i = ends_[place]; i < ends_[place + 1]; i++) {
            if (std::memcmp(heard_[i].identifier.data(), identifier, kSize) != 0) continue;
            const uint32_t at = heard_[i].interval;
            if (std::max(at, interval) - std::min(at, interval) <= kTolerance) return true;
        }
        return false;
    }

  private:
    static unsigned prefix(const uint8_t *identifier) {
        uint16_t prefix;
        std::memcpy(&prefix, identifier, sizeof prefix);
        return prefix;
    }

    std::vector<Heard> heard_;
    std::vector<uint32_t> ends_;
};

std::vector<Match> matches(const std::vector<Key> &keys, const PrefixMap &heard, Schedule &schedule) {
    std::vector<Match> found;
    for (const Key &key : keys) {
        const uint8_t *identifiers = schedule.identifiers(key);
        for (uint32_t i = 0; i < key.length; i++) {
            if (heard.was_heard(identifiers + kSize * i, key.start + i)) found.push_back({key.high, key.start + i});
        }
    }
    return found;
}

double processor_seconds() {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

}  // namespace

int main(int count, char **arguments) {
    const double seconds = count > 1 ? std::atof(arguments[1]) : 4;
    Random random(28);
    Schedule schedule;
    std::vector<Key> keys;
    for (int number = 0; number < 28000; number++) {
        Key key;
        key.high = random.next();
        const uint64_t low = random.next();
        for (int i = 0; i < 8; i++) {
            key.data[i] = uint8_t(key.high >> (56 - 8 * i));
            key.data[8 + i] = uint8_t(low >> (56 - 8 * i));
        }
        key.length = number % 5 == 0 ? 6 * (1 + uint32_t(random.next() % 23)) : kIntervals;
        key.start = kFirstInterval + kIntervals * (number % 14);
        keys.push_back(key);
    }
    std::vector<Heard> heard;
    for (int number = 0; number < 7960; number++) {
        Heard one;
        const uint64_t halves[2] = {random.next(), random.next()};
        std::memcpy(one.identifier.data(), halves, kSize);
        one.interval = kFirstInterval + uint32_t(random.next() % (14 * kIntervals));
        heard.push_back(one);
    }
    for (size_t number = 0; number < keys.size(); number += 701) {
        const uint32_t offset = uint32_t(random.next() % kIntervals);
        Heard one;
        std::memcpy(one.identifier.data(), schedule.identifiers(keys[number]) + kSize * offset, kSize);
        one.interval = keys[number].start + offset - 16 + uint32_t(random.next() % 33);
        heard.push_back(one);
    }

    const PrefixMap map(heard);
    const std::vector<Match> found = matches(keys, map, schedule);
    const double cpu = processor_seconds();
    const auto begin = std::chrono::steady_clock::now();
    std::chrono::duration<double> wall{};
    size_t operations = 0;
    do {
        if (matches(keys, map, schedule).size() != found.size()) return 1;
        operations += keys.size();
        wall = std::chrono::steady_clock::now() - begin;
    } while (wall.count() < seconds);
    const double spent = processor_seconds() - cpu;
    uint64_t digest = 0;
    for (const Match &match : found) digest = digest * 31 + (match.high ^ match.interval);
    std::printf("matches %zu %llu\n", found.size(), static_cast<unsigned long long>(digest));
    std::printf("{\"cpu_seconds\":%.6f,\"operations\":%zu,\"seconds\":%.6f}\n", spent, operations, wall.count());
}
