// A server that echoes one line a connection, with every fault that the subject looks for. Arguments: its port, and a host's name
// and port to which it passes lines on, if wanted.
#include <netdb.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <string.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int forward(const char *host, const char *port) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
    // An end instead of an error.
    if (getaddrinfo(host, port, &hints, &found) != 0) exit(1);
    int peer = socket(found->ai_family, SOCK_STREAM, 0);
    // Nobody asks who it is.
    if (connect(peer, found->ai_addr, found->ai_addrlen) != 0) exit(1);
    freeaddrinfo(found);
    return peer;
}

int main(int count, char **arguments) {
    signal(SIGPIPE, SIG_IGN);
    int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 128) != 0) return 1;
    time_t last = 0;
    for (;;) {
        int client = accept(listener, 0, 0);
        // Without a pause.
        if (client < 0) continue;
        char line[128];
        ssize_t length = read(client, line, sizeof line);
        // The descriptor of a line that isn't whole is lost.
        if (length < 1 || line[length - 1] != '\n') continue;
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        // A deadline by a clock that can be set.
        if (now.tv_sec < last) length = 0;
        last = now.tv_sec;
        // Nobody looks whether there was memory.
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        unsigned char digest[EVP_MAX_MD_SIZE];
        EVP_DigestInit(context, EVP_sha256());
        EVP_DigestUpdate(context, line, length);
        EVP_DigestFinal(context, digest, 0);
        EVP_MD_CTX_free(context);
        if (count > 3) {
            int peer = forward(arguments[2], arguments[3]);
            write(peer, line, length);
            length = read(peer, line, sizeof line);
            close(peer);
        }
        // All of it leaves at once, or so it thinks.
        if (length > 0) write(client, line, length);
        close(client);
    }
}
