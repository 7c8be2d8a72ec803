// The clients that wrk and h2load can't be: with a client certificate, with a handshake for each request, idle, and the first
// after a start. They end with status 1 if an answer isn't what it should be.
//
// load requests    repeats one request on kept connections, and prints how many answers came
// load handshakes  opens a connection for each request, and prints how many answers came
// load idle        opens connections, sends one request on each, prints how many there are, and keeps them until its input ends
// load start       starts the command behind the options, and prints after how many milliseconds the first answer came, and KiB then resident
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int port, connections = 64, body_bytes = -1, length = -1, http2;
static double seconds = 4;
static const char *path = "/", *certificate;
static SSL_CTX *context;
static char request[8192];
static int request_bytes;

static void fail(const char *why) {
    fprintf(stderr, "load: port %d: %s", port, why);
    if (errno) fprintf(stderr, ": %s", strerror(errno));
    fprintf(stderr, "\n");
    ERR_print_errors_fp(stderr);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

typedef struct {
    int descriptor;
    SSL *ssl;
    char input[16384];
    int filled;
} Connection;

// Returns -1 if nothing listens.
static int connect_socket(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (descriptor < 0) fail("socket");
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        close(descriptor);
        return -1;
    }
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct timeval patience = {.tv_sec = 10};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return descriptor;
}

static void open_connection(Connection *connection) {
    connection->filled = 0;
    connection->ssl = NULL;
    connection->descriptor = connect_socket();
    if (connection->descriptor < 0) fail("connect");
    if (!context) return;
    connection->ssl = SSL_new(context);
    SSL_set_tlsext_host_name(connection->ssl, "localhost");
    SSL_set_fd(connection->ssl, connection->descriptor);
    errno = 0;
    if (SSL_connect(connection->ssl) != 1) fail("handshake");
}

static void close_connection(Connection *connection) {
    if (connection->ssl) {
        SSL_shutdown(connection->ssl);
        SSL_free(connection->ssl);
    }
    close(connection->descriptor);
}

static void send_bytes(Connection *connection, const void *bytes, int count) {
    errno = 0;
    ssize_t sent = connection->ssl ? SSL_write(connection->ssl, bytes, count)
                                   : send(connection->descriptor, bytes, (size_t)count, MSG_NOSIGNAL);
    if (sent != count) fail("a request could not be sent at once");
}

// Reads what there is. Returns 0 if it would block.
static int receive_bytes(Connection *connection) {
    char *end = connection->input + connection->filled;
    int room = (int)sizeof connection->input - connection->filled, count;
    if (room == 0) fail("an answer is too long");
    errno = 0;
    if (connection->ssl) {
        count = SSL_read(connection->ssl, end, room);
        if (count <= 0 && SSL_get_error(connection->ssl, count) == SSL_ERROR_WANT_READ) return 0;
    } else {
        count = (int)recv(connection->descriptor, end, (size_t)room, 0);
        if (count < 0 && errno == EAGAIN) return 0;
    }
    if (count <= 0) fail("the server ended a connection");
    connection->filled += count;
    return count;
}

// The same, of a connection that blocks.
static void receive_some(Connection *connection) {
    if (receive_bytes(connection) == 0) fail("no answer came in time");
}

// Whether a whole answer has come, which is then removed.
static int take_answer(Connection *connection) {
    char *end = memmem(connection->input, (size_t)connection->filled, "\r\n\r\n", 4);
    if (!end) return 0;
    if (strncmp(connection->input, "HTTP/1.1 200", 12) != 0) fail("an answer isn't 200");
    int header = (int)(end + 4 - connection->input), body = -1;
    for (char *line = connection->input; line < end; line++)
        if (strncasecmp(line, "\r\ncontent-length:", 17) == 0) body = atoi(line + 17);
    if (body < 0 || (length >= 0 && body != length)) fail("an answer has another length");
    if (connection->filled < header + body) return 0;
    if (connection->filled > header + body) fail("more came than an answer");
    connection->filled = 0;
    return 1;
}

// Waits for the end of the answer on stream 1 (RFC 9113, section 4.1), and acknowledges the settings.
static void first_answer_http2(Connection *connection) {
    static const unsigned char begin[] =
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" "\0\0\0\4\0\0\0\0\0" "\0\0\xe\1\5\0\0\0\1" "\x82\x87\x84\x41\x9localhost";
    static const unsigned char acknowledgement[] = "\0\0\0\4\1\0\0\0\0";
    send_bytes(connection, begin, sizeof begin - 1);
    int position = 0, status = 0;
    for (;;) {
        unsigned char *frame = (unsigned char *)connection->input + position;
        int left = connection->filled - position, size = left < 9 ? 0 : 9 + (frame[0] << 16 | frame[1] << 8 | frame[2]);
        if (left < 9 || left < size) {
            receive_some(connection);
            continue;
        }
        if (frame[3] == 4 && !(frame[4] & 1)) send_bytes(connection, acknowledgement, 9);
        if (frame[3] == 3 || frame[3] == 7) fail("the stream was reset");
        // `:status: 200` is index 8 of the static table (RFC 7541, appendix A); a change of the table's size may come before.
        if (frame[3] == 1) status = frame[9] == 0x88 || memchr(frame + 9, 0x88, 8) != NULL;
        if ((frame[3] == 0 || frame[3] == 1) && (frame[4] & 1)) break;
        position += size;
    }
    if (!status) fail("an answer isn't 200");
    connection->filled = 0;
}

static void first_answer(Connection *connection) {
    if (http2) {
        first_answer_http2(connection);
        return;
    }
    send_bytes(connection, request, request_bytes);
    do receive_some(connection);
    while (!take_answer(connection));
}

static int requests(void) {
    Connection *all = calloc((size_t)connections, sizeof *all);
    int poll = epoll_create1(0), answers = 0;
    for (int number = 0; number < connections; number++) {
        open_connection(&all[number]);
        first_answer(&all[number]);
        fcntl(all[number].descriptor, F_SETFL, O_NONBLOCK);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &all[number]};
        epoll_ctl(poll, EPOLL_CTL_ADD, all[number].descriptor, &event);
    }
    double end = now() + seconds;
    for (int number = 0; number < connections; number++) send_bytes(&all[number], request, request_bytes);
    for (int open = connections; open > 0;) {
        struct epoll_event events[256];
        int count = epoll_wait(poll, events, 256, 10000), is_over = now() >= end;
        if (count <= 0) fail("no answer came in time");
        for (int event = 0; event < count; event++) {
            Connection *connection = events[event].data.ptr;
            while (receive_bytes(connection) > 0) {
                if (!take_answer(connection)) continue;
                answers++;
                if (is_over) {
                    open--;
                    break;
                }
                send_bytes(connection, request, request_bytes);
            }
        }
    }
    return answers;
}

static double handshakes_end;
static _Atomic int handshakes_done;

static void *handshakes_thread(void *unused) {
    Connection *connection = malloc(sizeof *connection);
    while (now() < handshakes_end) {
        open_connection(connection);
        first_answer(connection);
        close_connection(connection);
        handshakes_done++;
    }
    free(connection);
    return unused;
}

static int handshakes(void) {
    pthread_t threads[64];
    handshakes_end = now() + seconds;
    for (int number = 0; number < connections && number < 64; number++)
        pthread_create(&threads[number], NULL, handshakes_thread, NULL);
    for (int number = 0; number < connections && number < 64; number++) pthread_join(threads[number], NULL);
    return handshakes_done;
}

static void idle(void) {
    Connection connection;
    for (int number = 0; number < connections; number++) {
        open_connection(&connection);
        first_answer(&connection);
    }
    printf("%d\n", connections);
    fflush(stdout);
    while (getchar() != EOF) {}
}

static long resident(pid_t process) {
    char name[64], line[256];
    long kibibytes = -1;
    snprintf(name, sizeof name, "/proc/%d/status", process);
    FILE *file = fopen(name, "r");
    while (file && fgets(line, sizeof line, file)) sscanf(line, "VmRSS: %ld", &kibibytes);
    if (file) fclose(file);
    return kibibytes;
}

static void start(char **command) {
    double begin = now();
    pid_t process = fork();
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execvp(command[0], command);
        _exit(127);
    }
    int descriptor, status;
    while ((descriptor = connect_socket()) < 0) {
        if (now() > begin + 20 || waitpid(process, &status, WNOHANG) == process) fail("the program doesn't start");
        usleep(200);
    }
    close(descriptor);
    Connection connection;
    open_connection(&connection);
    first_answer(&connection);
    double ready = now();
    sleep(1);
    printf("%.2f %ld\n", (ready - begin) * 1000, resident(process));
    kill(process, SIGTERM);
    waitpid(process, &status, 0);
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    signal(SIGPIPE, SIG_IGN);
    const char *mode = arguments[1];
    int option, is_secure = 0;
    optind = 2;
    while ((option = getopt(count, arguments, "+p:u:n:s:b:l:tk:2")) != -1) {
        switch (option) {
            case 'p': port = atoi(optarg); break;
            case 'u': path = optarg; break;
            case 'n': connections = atoi(optarg); break;
            case 's': seconds = atof(optarg); break;
            case 'b': body_bytes = atoi(optarg); break;
            case 'l': length = atoi(optarg); break;
            case 't': is_secure = 1; break;
            // The client's identity: the path of NAME.pem and NAME.key without the ending.
            case 'k': certificate = optarg; is_secure = 1; break;
            case '2': http2 = is_secure = 1; break;
            default: return 2;
        }
    }
    if (body_bytes < 0) {
        request_bytes = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    } else {
        // A JSON object of the wanted length.
        static char body[4096];
        int head = snprintf(body, sizeof body, "{\"key\":\"63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f\",\"keyType\":\"GUID\",\"requestPadding\":\"");
        if (body_bytes < head + 2 || body_bytes > 4000) return 2;
        memset(body + head, 'a', (size_t)(body_bytes - head - 2));
        memcpy(body + body_bytes - 2, "\"}", 3);
        request_bytes = snprintf(request, sizeof request,
            "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, body_bytes, body);
    }
    if (is_secure) {
        context = SSL_CTX_new(TLS_client_method());
        SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
        SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
        if (http2) SSL_CTX_set_alpn_protos(context, (const unsigned char *)"\2h2", 3);
        if (certificate) {
            char name[4096];
            snprintf(name, sizeof name, "%s.pem", certificate);
            if (SSL_CTX_use_certificate_chain_file(context, name) != 1) fail(name);
            snprintf(name, sizeof name, "%s.key", certificate);
            if (SSL_CTX_use_PrivateKey_file(context, name, SSL_FILETYPE_PEM) != 1) fail(name);
        }
    }
    if (strcmp(mode, "requests") == 0) printf("%d\n", requests());
    else if (strcmp(mode, "handshakes") == 0) printf("%d\n", handshakes());
    else if (strcmp(mode, "idle") == 0) idle();
    else if (strcmp(mode, "start") == 0) start(arguments + optind);
    else return 2;
    return 0;
}
