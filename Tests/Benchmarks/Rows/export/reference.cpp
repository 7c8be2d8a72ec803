// What everybody else does: sorts keys by their bytes, builds the message with libprotobuf, deflates with zlib at level 6, signs with
// OpenSSL, and writes a ZIP. One core; keys are in memory before the clock starts. Prints milliseconds and bytes as JSON.
//
// usage: reference WORKLOAD REPETITIONS   (22 bytes a key: data, start with its lowest byte first, period, level)
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "export.pb.h"

using namespace vigil::exposure;

struct Key {
    unsigned char data[16];
    uint32_t start;
    uint8_t period, level;
};

static void little(std::string &out, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) out.push_back(char(value >> (8 * i)));
}

static std::string deflated(const std::string &in) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, in.size()), 0);
    stream.next_in = (Bytef *)in.data(), stream.avail_in = in.size();
    stream.next_out = (Bytef *)out.data(), stream.avail_out = out.size();
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

static std::string zipped(const std::vector<std::pair<std::string, std::string>> &entries) {
    std::string out, directory;
    for (auto &[name, content] : entries) {
        std::string data = deflated(content), facts;
        little(facts, 20, 2), little(facts, 0, 2), little(facts, 8, 2), little(facts, 0, 2), little(facts, 33, 2);
        little(facts, crc32_z(0, (const Bytef *)content.data(), content.size()), 4);
        little(facts, data.size(), 4), little(facts, content.size(), 4), little(facts, name.size(), 2), little(facts, 0, 2);
        little(directory, 0x02014b50, 4), little(directory, 20, 2), directory += facts;
        little(directory, 0, 10), little(directory, out.size(), 4), directory += name;
        little(out, 0x04034b50, 4), out += facts, out += name, out += data;
    }
    size_t start = out.size();
    out += directory;
    little(out, 0x06054b50, 4), little(out, 0, 4), little(out, entries.size(), 2), little(out, entries.size(), 2);
    little(out, directory.size(), 4), little(out, start, 4), little(out, 0, 2);
    return out;
}

static void describe(SignatureInfo *info) {
    info->set_app_bundle_id("de.rki.coronawarnapp");
    info->set_verification_key_version("v1");
    info->set_verification_key_id("262");
    info->set_signature_algorithm("1.2.840.10045.4.3.2");
}

static std::string exported(std::vector<Key> keys, EVP_PKEY *signer) {
    std::sort(keys.begin(), keys.end(), [](auto &a, auto &b) { return memcmp(a.data, b.data, 16) < 0; });
    TemporaryExposureKeyExport message;
    message.set_start_timestamp(1795132800), message.set_end_timestamp(1795136400), message.set_region("DE");
    message.set_batch_num(1), message.set_batch_size(1);
    describe(message.add_signature_infos());
    static const TemporaryExposureKey::ReportType types[] = {
        TemporaryExposureKey::RECURSIVE, TemporaryExposureKey::SELF_REPORT,
        TemporaryExposureKey::CONFIRMED_CLINICAL_DIAGNOSIS, TemporaryExposureKey::CONFIRMED_TEST};
    message.mutable_keys()->Reserve(keys.size());
    for (auto &key : keys) {
        auto *entry = message.add_keys();
        entry->set_key_data(key.data, 16);
        entry->set_transmission_risk_level(key.level);
        entry->set_rolling_start_interval_number(key.start);
        entry->set_rolling_period(key.period);
        entry->set_report_type(types[(key.level - 1) / 2]);
        entry->set_days_since_onset_of_symptoms(2 - key.level % 2);
    }
    std::string bytes = "EK Export v1    ";
    message.AppendToString(&bytes);

    EVP_MD_CTX *context = EVP_MD_CTX_new();
    unsigned char signature[80];
    size_t length = sizeof signature;
    EVP_DigestSignInit(context, nullptr, EVP_sha256(), nullptr, signer);
    EVP_DigestSign(context, signature, &length, (const unsigned char *)bytes.data(), bytes.size());
    EVP_MD_CTX_free(context);
    TEKSignatureList list;
    auto *entry = list.add_signatures();
    describe(entry->mutable_signature_info());
    entry->set_batch_num(1), entry->set_batch_size(1), entry->set_signature(signature, length);
    return zipped({{"export.bin", bytes}, {"export.sig", list.SerializeAsString()}});
}

int main(int count, char **arguments) {
    if (count != 3) return 64;
    std::ifstream file(arguments[1], std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    std::vector<Key> keys(bytes.size() / 22);
    for (size_t i = 0; i < keys.size(); i++) {
        memcpy(keys[i].data, &bytes[22 * i], 16);
        memcpy(&keys[i].start, &bytes[22 * i + 16], 4);
        keys[i].period = bytes[22 * i + 20], keys[i].level = bytes[22 * i + 21];
    }
    EVP_PKEY *signer = EVP_EC_gen("P-256");
    double best = 1e9;
    size_t size = 0;
    for (int i = 0; i < atoi(arguments[2]); i++) {
        auto started = std::chrono::steady_clock::now();
        size = exported(keys, signer).size();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
    }
    printf("{\"keys\":%zu,\"seconds\":%f,\"bytes\":%zu}\n", keys.size(), best, size);
}
