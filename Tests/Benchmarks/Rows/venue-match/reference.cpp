// What deploy/bench.sh compares the reference phone's trials of venue reports with: the same loop over OpenSSL's public HMAC.
//
// Every report is tried with every key: HMAC-SHA-256 over 25 bytes, and a comparison in constant time. Of the ways to say it to OpenSSL 3,
// the fastest that was found: a context for each key, which keeps the blocks of the key alone, and HMAC_Init_ex without a key, which begins
// anew (150 nanoseconds a trial, where EVP_MAC takes 180 and a call of HMAC 600).
//
// The reports and keys are those of Tests/Benchmarks/VenueMatching.swift. Prints the same two lines.
// HMAC with a context of its own is deprecated and the fastest.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr size_t kReports = 100000;
constexpr size_t kKeys = 40;
constexpr size_t kSize = 57;
constexpr size_t kMessage = 25;
constexpr size_t kHash = 32;

struct Match {
    size_t report, key;
    bool operator==(const Match &other) const { return report == other.report && key == other.key; }
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

void code_of(HMAC_CTX *context, const uint8_t *message, uint8_t code[kHash]) {
    require(HMAC_Init_ex(context, nullptr, 0, nullptr, nullptr) == 1);
    require(HMAC_Update(context, message, kMessage) == 1 && HMAC_Final(context, code, nullptr) == 1);
}

// HKDF without salt: the second 32 bytes are the venue's authentication key.
void authentication_key(const uint8_t seed[kHash], uint8_t key[kHash]) {
    const std::string information = "EN-VenueCheckIn-v1";
    const uint8_t salt[kHash] = {0};
    uint8_t prk[kHash], first[kHash];
    require(HMAC(EVP_sha256(), salt, kHash, seed, kHash, prk, nullptr) != nullptr);
    std::string text = information + char(1);
    require(HMAC(EVP_sha256(), prk, kHash, (const uint8_t *)text.data(), text.size(), first, nullptr) != nullptr);
    text = std::string((const char *)first, kHash) + information + char(2);
    require(HMAC(EVP_sha256(), prk, kHash, (const uint8_t *)text.data(), text.size(), key, nullptr) != nullptr);
}

std::vector<Match> matches(const std::vector<uint8_t> &reports, const std::vector<HMAC_CTX *> &keys) {
    std::vector<Match> found;
    for (size_t report = 0; report < kReports; report++) {
        const uint8_t *bytes = &reports[kSize * report];
        for (size_t key = 0; key < kKeys; key++) {
            uint8_t code[kHash];
            code_of(keys[key], bytes, code);
            if (CRYPTO_memcmp(code, bytes + kMessage, kHash) == 0) found.push_back({report, key});
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
    Random random(57);
    EVP_MD *digest = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    std::vector<HMAC_CTX *> keys;
    for (size_t key = 0; key < kKeys; key++) {
        uint8_t seed[kHash], authentication[kHash];
        for (uint8_t &byte : seed) byte = uint8_t(random.next());
        authentication_key(seed, authentication);
        HMAC_CTX *context = HMAC_CTX_new();
        require(HMAC_Init_ex(context, authentication, kHash, digest, nullptr) == 1);
        keys.push_back(context);
    }
    std::vector<uint8_t> reports(kReports * kSize);
    for (uint8_t &byte : reports) byte = uint8_t(random.next());
    for (size_t report = 0; report < kReports; report += 1999) {
        code_of(keys[report % kKeys], &reports[kSize * report], &reports[kSize * report + kMessage]);
    }

    const std::vector<Match> found = matches(reports, keys);
    const double cpu = processor_seconds();
    const auto begin = std::chrono::steady_clock::now();
    std::chrono::duration<double> wall{};
    size_t operations = 0;
    do {
        if (!(matches(reports, keys) == found)) return 1;
        operations += kReports;
        wall = std::chrono::steady_clock::now() - begin;
    } while (wall.count() < seconds);
    const double spent = processor_seconds() - cpu;
    uint64_t number = 0;
    for (const Match &match : found) number = number * 31 + (match.report * 64 + match.key);
    std::printf("matches %zu %llu\n", found.size(), static_cast<unsigned long long>(number));
    std::printf("{\"cpu_seconds\":%.6f,\"operations\":%zu,\"seconds\":%.6f}\n", spent, operations, wall.count());
}
