// A client on libcurl's multi interface: POST requests of 300 bytes on kept connections with mutual TLS. It prints what a benchmark
// prints: how many, in which time, and in which time of its processor. It ends with status 1 if an answer isn't what it should be.
//
// calls URL FOLDER AT-ONCE SECONDS
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static char body[301];
static long received[256];

static size_t receive(char *bytes, size_t size, size_t count, void *place) {
    (void)bytes;
    *(long *)place += (long)(size * count);
    return size * count;
}

static double wall(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double processor(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

int main(int count, char **arguments) {
    if (count != 5) return 2;
    char file[3][4096];
    snprintf(file[0], sizeof file[0], "%s/authority.pem", arguments[2]);
    snprintf(file[1], sizeof file[1], "%s/metadata-proxy.pem", arguments[2]);
    snprintf(file[2], sizeof file[2], "%s/metadata-proxy.key", arguments[2]);
    int at_once = atoi(arguments[3]), running, left, answers = 0;
    double seconds = atof(arguments[4]), begin = 0, began = 0;
    if (at_once < 1 || at_once > 256) return 2;
    memset(body, 'a', 300);
    curl_global_init(CURL_GLOBAL_ALL);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)at_once);
    struct curl_slist *fields = curl_slist_append(curl_slist_append(NULL, "Content-Type: application/json"), "Expect:");
    for (int number = 0; number < at_once; number++) {
        CURL *easy = curl_easy_init();
        curl_easy_setopt(easy, CURLOPT_URL, arguments[1]);
        curl_easy_setopt(easy, CURLOPT_CAINFO, file[0]);
        curl_easy_setopt(easy, CURLOPT_SSLCERT, file[1]);
        curl_easy_setopt(easy, CURLOPT_SSLKEY, file[2]);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, 300L);
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &received[number]);
        curl_easy_setopt(easy, CURLOPT_PRIVATE, (char *)&received[number]);
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 5000L);
        curl_multi_add_handle(multi, easy);
    }
    // The handshakes come before what is measured.
    double warm = wall() + 0.5;
    for (;;) {
        curl_multi_perform(multi, &running);
        CURLMsg *message;
        int ended = 0;
        while ((message = curl_multi_info_read(multi, &left))) {
            CURL *easy = message->easy_handle;
            long status, *length;
            curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&length);
            if (message->data.result != CURLE_OK || status != 200 || *length != 100) {
                fprintf(stderr, "calls: %s, status %ld, %ld bytes\n", curl_easy_strerror(message->data.result), status, *length);
                return 1;
            }
            answers++;
            ended++;
            *length = 0;
            curl_multi_remove_handle(multi, easy);
            curl_multi_add_handle(multi, easy);
        }
        double moment = wall();
        if (begin == 0 && moment >= warm) {
            begin = moment;
            began = processor();
            answers = 0;
        }
        if (begin != 0 && moment >= begin + seconds) break;
        // The next requests are begun before it waits.
        if (ended == 0) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    printf("{\"cpu_seconds\":%f,\"operations\":%d,\"seconds\":%f}\n", processor() - began, answers, wall() - begin);
    return 0;
}
