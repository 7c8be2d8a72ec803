// What deploy/bench.sh compares the batches of a federation with: libprotobuf and OpenSSL's CMS, keys sorted as the gateway does, by the
// Base64 text of their records, and PostgreSQL's COPY.
//
// usage: reference upload FOLDER SECONDS
//            makes and signs batches; prints the lines that Tests/Benchmarks/FederationBatches.swift does
//        reference download FOLDER BATCHES CONNECTION
//            verifies the signatures of each batch's two uploads, and copies the batch's rows; prints how many there were
#include <libpq-fe.h>
#include <openssl/cms.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "diagnosis_key_batch.pb.h"

namespace {

constexpr int kBatches = 4;
constexpr int kKeysOfBatch = 4000;
constexpr int32_t kUnsetLevel = 0x7fffffff;
const char *const kCountries[] = {"AT", "BE", "CH", "CY", "CZ", "DK", "EE", "ES", "FI", "FR",
                                  "HR", "IE", "IT", "LT", "LV", "NL", "NO", "PL", "SI"};

struct Key {
    uint8_t data[16];
    uint32_t start, period;
    int32_t level, type, days;
    std::vector<std::string> countries;
    std::string origin;
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
        std::fprintf(stderr, "OpenSSL or PostgreSQL failed, or a file is missing.\n");
        std::exit(1);
    }
}

double processor_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    auto seconds = [](timeval time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Repeats until the time is over, once at least; reports how many keys that were.
void measure(double seconds, const std::function<long(int)> &operation) {
    auto begin = std::chrono::steady_clock::now();
    double processor = processor_seconds();
    long operations = 0;
    int number = 0;
    double passed;
    do {
        operations += operation(number++);
        passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    } while (passed < seconds);
    std::printf("{\"cpu_seconds\":%f,\"operations\":%ld,\"seconds\":%f}\n", processor_seconds() - processor, operations, passed);
}

std::string file(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    require(in.good());
    return {std::istreambuf_iterator<char>(in), {}};
}

X509 *certificate(const std::string &path) {
    std::string pem = file(path);
    BIO *bio = BIO_new_mem_buf(pem.data(), int(pem.size()));
    X509 *read = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
    BIO_free(bio);
    require(read != nullptr);
    return read;
}

EVP_PKEY *private_key(const std::string &path) {
    std::string pem = file(path);
    BIO *bio = BIO_new_mem_buf(pem.data(), int(pem.size()));
    EVP_PKEY *read = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
    BIO_free(bio);
    require(read != nullptr);
    return read;
}

// Uploading.

std::vector<Key> keys(uint64_t seed) {
    Random random(seed);
    std::vector<Key> keys(kKeysOfBatch);
    for (Key &key : keys) {
        for (int half = 0; half < 2; half++) {
            uint64_t bits = random.next();
            for (int i = 0; i < 8; i++) key.data[8 * half + i] = uint8_t(bits >> (56 - 8 * i));
        }
        uint64_t facts = random.next();
        key.start = 2966400 + 144 * uint32_t(facts % 14);
        key.period = 144;
        key.level = kUnsetLevel;
        key.type = 1;
        key.days = int32_t(facts >> 32 & 7) - 3;
        key.countries.assign(std::begin(kCountries), std::end(kCountries));
        key.origin = "DE";
    }
    return keys;
}

void append_base64(std::string &out, const void *bytes, size_t count) {
    size_t start = out.size();
    // One more for the zero at the end.
    out.resize(start + (count + 2) / 3 * 4 + 1);
    out.resize(start + EVP_EncodeBlock((unsigned char *)&out[start], (const unsigned char *)bytes, int(count)));
}

void append_part(std::string &out, const void *bytes, size_t count) {
    append_base64(out, bytes, count);
    out.push_back('.');
}

void append_part(std::string &out, uint32_t number) {
    unsigned char bytes[4];
    for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(number >> (24 - 8 * i));
    append_part(out, bytes, 4);
}

std::string record(const Key &key) {
    std::string out, countries;
    out.reserve(192);
    append_part(out, key.data, 16);
    append_part(out, key.start);
    append_part(out, key.period);
    append_part(out, uint32_t(key.level));
    for (const std::string &country : key.countries) {
        if (!countries.empty()) countries.push_back(',');
        countries += country;
    }
    append_part(out, countries.data(), countries.size());
    append_part(out, key.origin.data(), key.origin.size());
    append_part(out, uint32_t(key.type));
    append_part(out, uint32_t(key.days));
    return out;
}

struct Upload {
    std::string body, signed_bytes, signature;
};

Upload upload(const std::vector<Key> &keys, X509 *signer, EVP_PKEY *private_key) {
    struct Sorted {
        std::string text, record;
        const Key *key;
    };
    std::vector<Sorted> sorted;
    sorted.reserve(keys.size());
    for (const Key &key : keys) {
        Sorted one{"", record(key), &key};
        append_base64(one.text, one.record.data(), one.record.size());
        sorted.push_back(std::move(one));
    }
    std::sort(sorted.begin(), sorted.end(), [](const Sorted &left, const Sorted &right) { return left.text < right.text; });

    Upload made;
    eu::interop::DiagnosisKeyBatch batch;
    batch.mutable_keys()->Reserve(int(sorted.size()));
    for (const Sorted &one : sorted) {
        made.signed_bytes += one.record;
        const Key &key = *one.key;
        eu::interop::DiagnosisKey *out = batch.add_keys();
        out->set_keydata(key.data, 16);
        out->set_rollingstartintervalnumber(key.start);
        out->set_rollingperiod(key.period);
        out->set_transmissionrisklevel(key.level);
        for (const std::string &country : key.countries) out->add_visitedcountries(country);
        out->set_origin(key.origin);
        out->set_reporttype(eu::interop::ReportType(key.type));
        out->set_days_since_onset_of_symptoms(key.days);
    }
    require(batch.SerializeToString(&made.body));

    BIO *content = BIO_new_mem_buf(made.signed_bytes.data(), int(made.signed_bytes.size()));
    CMS_ContentInfo *cms = CMS_sign(nullptr, nullptr, nullptr, nullptr, CMS_DETACHED | CMS_BINARY | CMS_PARTIAL);
    require(cms && CMS_add1_signer(cms, signer, private_key, EVP_sha256(), CMS_NOATTR | CMS_NOSMIMECAP) &&
            CMS_final(cms, content, nullptr, CMS_DETACHED | CMS_BINARY));
    unsigned char *der = nullptr;
    int length = i2d_CMS_ContentInfo(cms, &der);
    require(length > 0);
    append_base64(made.signature, der, size_t(length));
    OPENSSL_free(der);
    CMS_ContentInfo_free(cms);
    BIO_free(content);
    return made;
}

void measure_uploads(const std::string &folder, double seconds) {
    std::vector<std::vector<Key>> workload;
    for (int i = 0; i < kBatches; i++) workload.push_back(keys(300 + i));
    X509 *certificates[] = {certificate(folder + "/p256.pem"), certificate(folder + "/rsa.pem")};
    EVP_PKEY *private_keys[] = {private_key(folder + "/p256.key"), private_key(folder + "/rsa.key")};
    auto make = [&](int number) {
        return upload(workload[number % kBatches], certificates[number % 2], private_keys[number % 2]);
    };
    std::string made;
    for (int i = 0; i < kBatches; i++) {
        Upload one = make(i);
        made += one.body + one.signed_bytes;
    }
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256((const unsigned char *)made.data(), made.size(), digest);
    std::printf("matches %d ", kBatches * kKeysOfBatch);
    for (int i = 0; i < 8; i++) std::printf("%02x", digest[i]);
    std::printf("\n");
    measure(seconds, [&](int number) { return make(number).signature.empty() ? 0L : long(kKeysOfBatch); });
}

// Downloading. Reading the batch, finding out whose keys they are, and making rows of them is left out: the bytes are prepared.

void verify(const std::string &stem, STACK_OF(X509) *certificates) {
    std::string signature = file(stem + ".signature"), signed_bytes = file(stem + ".content");
    const unsigned char *der = (const unsigned char *)signature.data();
    CMS_ContentInfo *cms = d2i_CMS_ContentInfo(nullptr, &der, long(signature.size()));
    BIO *content = BIO_new_mem_buf(signed_bytes.data(), int(signed_bytes.size()));
    require(cms && CMS_verify(cms, certificates, nullptr, content, nullptr,
                              CMS_BINARY | CMS_DETACHED | CMS_NOINTERN | CMS_NO_SIGNER_CERT_VERIFY));
    BIO_free(content);
    CMS_ContentInfo_free(cms);
}

// In a transaction of its own.
long copy(PGconn *database, const std::string &rows) {
    PGresult *result = PQexec(database, "COPY foreign_keys.diagnosis_key FROM STDIN (FORMAT binary)");
    require(PQresultStatus(result) == PGRES_COPY_IN);
    PQclear(result);
    require(PQputCopyData(database, rows.data(), int(rows.size())) == 1 && PQputCopyEnd(database, nullptr) == 1);
    result = PQgetResult(database);
    require(PQresultStatus(result) == PGRES_COMMAND_OK);
    long count = std::atol(PQcmdTuples(result));
    PQclear(result);
    require(PQgetResult(database) == nullptr);
    return count;
}

void download(const std::string &folder, int batches, const char *connection) {
    PGconn *database = PQconnectdb(connection);
    require(PQstatus(database) == CONNECTION_OK);
    const std::string countries[] = {"FR", "PL"};
    STACK_OF(X509) *certificates[] = {sk_X509_new_null(), sk_X509_new_null()};
    for (int i = 0; i < 2; i++) sk_X509_push(certificates[i], certificate(folder + "/" + countries[i] + ".pem"));
    long keys = 0;
    for (int number = 1; number <= batches; number++) {
        std::string stem = folder + "/" + std::to_string(number);
        for (int i = 0; i < 2; i++) verify(stem + "-" + countries[i], certificates[i]);
        keys += copy(database, file(stem + ".rows"));
    }
    PQfinish(database);
    std::printf("%ld\n", keys);
}

}  // namespace

int main(int count, char **arguments) {
    std::string what = count > 1 ? arguments[1] : "";
    if (what == "upload" && count == 4) measure_uploads(arguments[2], std::atof(arguments[3]));
    else if (what == "download" && count == 5) download(arguments[2], std::atoi(arguments[3]), arguments[4]);
    else return 2;
    return 0;
}
