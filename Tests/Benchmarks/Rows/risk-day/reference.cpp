// What deploy/bench.sh compares the reference phone's judgement of exposure windows with: the same rules, written down in C++ as they are
// published, with the containers that come to mind.
//
// The windows are those of Tests/Benchmarks/RiskDay.swift. Prints the same two lines.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace {

constexpr int kFirstDay = 20600;
constexpr size_t kPhones = 64;
constexpr size_t kWindows = 200;

struct Range {
    double min, max;
    bool excludes_max;
    bool contains(double number) const { return number >= min && (excludes_max ? number < max : number <= max); }
};

enum class Level { low, high };

struct Scan {
    int64_t attenuation, seconds;
};

struct Window {
    int day, report_type, infectiousness, confidence;
    std::vector<Scan> scans;
};

struct DayRisk {
    int day;
    Level level;
    double minutes;
    size_t low, high;
    bool operator==(const DayRisk &other) const {
        return day == other.day && level == other.level && minutes == other.minutes && low == other.low && high == other.high;
    }
};

struct Rules {
    std::vector<std::pair<Range, double>> weights = {{{0, 63, true}, 0.8}, {{63, 73, true}, 1}, {{73, 79, true}, 0.1}};
    std::vector<std::pair<Range, Level>> per_window = {{{0, 9, true}, Level::low}, {{9, 9999, false}, Level::high}};
    std::vector<std::pair<Range, Level>> per_day = {{{5, 9, true}, Level::low}, {{9, 99999, false}, Level::high}};
    // By report type: confirmed test, clinical diagnosis, self-report, recursive.
    std::map<int, int> report_offsets = {{1, 6}, {2, 4}, {3, 2}, {4, 0}};
    std::map<int, int> infectiousness_offsets = {{1, 1}, {2, 2}};
    std::map<int, double> values = {{1, 0}, {2, 0}, {3, 0.6}, {4, 0.8}, {5, 1}, {6, 1.2}, {7, 1.4}, {8, 1.6}};
    int maximum_days = 10;
};

template <class Value> const Value *find(const std::vector<std::pair<Range, Value>> &ranges, double number) {
    for (const auto &range : ranges) {
        if (range.first.contains(number)) return &range.second;
    }
    return nullptr;
}

struct Judged {
    double minutes;
    Level level;
    std::pair<int, int> trace;
};

std::vector<DayRisk> judge(const std::vector<Window> &windows, const Rules &rules) {
    std::map<int, std::vector<Judged>> days;
    for (const Window &window : windows) {
        if (window.day < kFirstDay - rules.maximum_days) continue;
        const int transmission =
            rules.report_offsets.at(window.report_type) + rules.infectiousness_offsets.at(window.infectiousness);
        double weighted = 0;
        for (const Scan &scan : window.scans) {
            const double *weight = find(rules.weights, double(scan.attenuation));
            weighted += double(std::max<int64_t>(0, scan.seconds)) / 60 * (weight ? *weight : 0);
        }
        const auto value = rules.values.find(transmission);
        const double minutes = (value == rules.values.end() ? 0 : value->second) * weighted;
        const Level *level = find(rules.per_window, minutes);
        if (level) days[window.day].push_back({minutes, *level, {transmission, window.confidence}});
    }
    std::vector<DayRisk> risks;
    for (auto &day : days) {
        std::sort(day.second.begin(), day.second.end(),
                  [](const Judged &left, const Judged &right) { return left.minutes < right.minutes; });
        double minutes = 0;
        std::set<std::pair<int, int>> low, high;
        for (const Judged &window : day.second) {
            minutes += window.minutes;
            (window.level == Level::low ? low : high).insert(window.trace);
        }
        const Level *level = find(rules.per_day, minutes);
        if (level) risks.push_back({day.first, *level, minutes, low.size(), high.size()});
    }
    return risks;
}

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

double processor_seconds() {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

}  // namespace

int main(int count, char **arguments) {
    const double seconds = count > 1 ? std::atof(arguments[1]) : 4;
    const Rules rules;
    Random random(200);
    std::vector<std::vector<Window>> phones(kPhones);
    for (auto &windows : phones) {
        for (size_t number = 0; number < kWindows; number++) {
            Window window;
            window.day = kFirstDay - (number % 4 == 0 ? int(random.next() % 12) : 0);
            window.report_type = 1 + int(random.next() % 4);
            window.infectiousness = 1 + int(random.next() % 2);
            window.confidence = int(random.next() % 4);
            const size_t scans = 1 + random.next() % 10;
            for (size_t scan = 0; scan < scans; scan++) {
                const int64_t attenuation = 30 + int64_t(random.next() % 60);
                window.scans.push_back({attenuation, 60 * int64_t(random.next() % 6)});
            }
            windows.push_back(window);
        }
    }

    std::vector<std::vector<DayRisk>> found;
    for (const auto &windows : phones) found.push_back(judge(windows, rules));
    const double cpu = processor_seconds();
    const auto begin = std::chrono::steady_clock::now();
    std::chrono::duration<double> wall{};
    size_t operations = 0;
    do {
        for (size_t phone = 0; phone < kPhones; phone++) {
            if (!(judge(phones[phone], rules) == found[phone])) return 1;
        }
        operations += kPhones * kWindows;
        wall = std::chrono::steady_clock::now() - begin;
    } while (wall.count() < seconds);
    const double spent = processor_seconds() - cpu;
    uint64_t number = 0;
    size_t days = 0;
    for (const auto &risks : found) {
        for (const DayRisk &day : risks) {
            days++;
            number = number * 31 + uint64_t(day.day);
            number = number * 31 + uint64_t(std::llround(day.minutes * 1000000));
            number = number * 31 + (day.level == Level::high ? 1 : 0);
            number = (number * 31 + day.low) * 31 + day.high;
        }
    }
    std::printf("matches %zu %llu\n", days, static_cast<unsigned long long>(number));
    std::printf("{\"cpu_seconds\":%.6f,\"operations\":%zu,\"seconds\":%.6f}\n", spent, operations, wall.count());
}
