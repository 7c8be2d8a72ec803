// OpenSSL 3.0, and what of it Swift can't import: function-like macros, variadic functions and constants that are casts
// of expressions. Each function is `shim_` and the macro's name, and does what OpenSSL's manual says of the macro.
#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

// SHA256_CTX and its like are deprecated in favour of EVP, which allocates and fetches for each hash. Crypto keeps the
// plain structures, so that a hash is a value.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/md5.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Memory

static inline void *shim_OPENSSL_malloc(size_t count) { return OPENSSL_malloc(count); }
static inline void shim_OPENSSL_free(void *memory) { OPENSSL_free(memory); }

// SSL_CTX

static inline void shim_SSL_CTX_set_mode(SSL_CTX *context, long mode) { SSL_CTX_set_mode(context, mode); }
static inline int shim_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}
static inline int shim_SSL_CTX_set_max_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_max_proto_version(context, version);
}
static inline void shim_SSL_CTX_set_read_ahead(SSL_CTX *context, int on) { SSL_CTX_set_read_ahead(context, on); }
static inline void shim_SSL_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}
static inline int shim_SSL_CTX_set1_groups_list(SSL_CTX *context, const char *list) {
    return (int)SSL_CTX_set1_groups_list(context, list);
}
static inline int shim_SSL_CTX_set1_sigalgs_list(SSL_CTX *context, const char *list) {
    return (int)SSL_CTX_set1_sigalgs_list(context, list);
}
static inline int shim_SSL_CTX_set1_client_sigalgs_list(SSL_CTX *context, const char *list) {
    return (int)SSL_CTX_set1_client_sigalgs_list(context, list);
}
/// The chain keeps a reference of its own.
static inline int shim_SSL_CTX_add1_chain_cert(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}
static inline int shim_SSL_CTX_clear_chain_certs(SSL_CTX *context) { return (int)SSL_CTX_clear_chain_certs(context); }
static inline int shim_SSL_CTX_set_max_send_fragment(SSL_CTX *context, long count) {
    return (int)SSL_CTX_set_max_send_fragment(context, count);
}
static inline void shim_SSL_CTX_set_msg_callback_arg(SSL_CTX *context, void *argument) {
    SSL_CTX_set_msg_callback_arg(context, argument);
}
static inline void shim_SSL_CTX_set_tlsext_servername_callback(SSL_CTX *context, int (*call)(SSL *, int *, void *)) {
    SSL_CTX_set_tlsext_servername_callback(context, call);
}
static inline void shim_SSL_CTX_set_tlsext_servername_arg(SSL_CTX *context, void *argument) {
    SSL_CTX_set_tlsext_servername_arg(context, argument);
}
static inline int shim_SSL_CTX_get_ex_new_index(void) { return SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL); }

// SSL

static inline void shim_SSL_set_mode(SSL *ssl, long mode) { SSL_set_mode(ssl, mode); }
static inline int shim_SSL_set_tlsext_host_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}
/// The caller owns the certificate that comes back.
static inline X509 *shim_SSL_get1_peer_certificate(const SSL *ssl) { return SSL_get1_peer_certificate(ssl); }
static inline int shim_SSL_get_negotiated_group(SSL *ssl) { return (int)SSL_get_negotiated_group(ssl); }
static inline int shim_SSL_get_ex_new_index(void) { return SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL); }
static inline int shim_SSL_want_read(const SSL *ssl) { return SSL_want_read(ssl); }
static inline int shim_SSL_want_write(const SSL *ssl) { return SSL_want_write(ssl); }
static inline const char *shim_SSL_get_cipher_name(const SSL *ssl) { return SSL_get_cipher_name(ssl); }

static const uint64_t shim_SSL_OP_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;
static const uint64_t shim_SSL_OP_IGNORE_UNEXPECTED_EOF = SSL_OP_IGNORE_UNEXPECTED_EOF;
static const uint64_t shim_SSL_OP_NO_TICKET = SSL_OP_NO_TICKET;
static const uint64_t shim_SSL_OP_NO_COMPRESSION = SSL_OP_NO_COMPRESSION;
static const uint64_t shim_SSL_OP_CIPHER_SERVER_PREFERENCE = SSL_OP_CIPHER_SERVER_PREFERENCE;
static const uint64_t shim_SSL_OP_PRIORITIZE_CHACHA = SSL_OP_PRIORITIZE_CHACHA;
static const uint64_t shim_SSL_OP_ENABLE_KTLS = SSL_OP_ENABLE_KTLS;

// BIO

static inline size_t shim_BIO_pending(BIO *bio) { return (size_t)BIO_pending(bio); }
static inline size_t shim_BIO_wpending(BIO *bio) { return (size_t)BIO_wpending(bio); }
static inline int shim_BIO_reset(BIO *bio) { return (int)BIO_reset(bio); }
static inline int shim_BIO_eof(BIO *bio) { return (int)BIO_eof(bio); }
static inline int shim_BIO_flush(BIO *bio) { return (int)BIO_flush(bio); }
static inline int shim_BIO_should_retry(BIO *bio) { return BIO_should_retry(bio); }
static inline int shim_BIO_should_read(BIO *bio) { return BIO_should_read(bio); }
static inline int shim_BIO_should_write(BIO *bio) { return BIO_should_write(bio); }
/// What an empty memory BIO says when it is read: 0 is the end, -1 "try again".
static inline void shim_BIO_set_mem_eof_return(BIO *bio, int value) { BIO_set_mem_eof_return(bio, value); }
/// The bytes belong to the BIO.
static inline long shim_BIO_get_mem_data(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }
static inline void shim_BIO_clear_retry_flags(BIO *bio) { BIO_clear_retry_flags(bio); }
static inline void shim_BIO_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void shim_BIO_set_retry_write(BIO *bio) { BIO_set_retry_write(bio); }

// X509 and stacks. Swift imports every stack as an opaque pointer.

/// Belongs to the stack.
static inline STACK_OF(X509) * shim_sk_X509_new_null(void) { return sk_X509_new_null(); }
/// The stack takes the certificate over if the result isn't 0.
static inline int shim_sk_X509_push(STACK_OF(X509) * stack, X509 *certificate) {
    return sk_X509_push(stack, certificate);
}
static inline void shim_sk_X509_pop_free(STACK_OF(X509) * stack) { sk_X509_pop_free(stack, X509_free); }
static inline int shim_sk_GENERAL_NAME_num(const STACK_OF(GENERAL_NAME) * stack) { return sk_GENERAL_NAME_num(stack); }
/// Belongs to the stack.
static inline GENERAL_NAME *shim_sk_GENERAL_NAME_value(const STACK_OF(GENERAL_NAME) * stack, int index) {
    return sk_GENERAL_NAME_value(stack, index);
}
static inline void shim_sk_GENERAL_NAME_pop_free(STACK_OF(GENERAL_NAME) * stack) {
    sk_GENERAL_NAME_pop_free(stack, GENERAL_NAME_free);
}

// EVP

static inline EVP_PKEY *shim_EVP_EC_gen(const char *curve) { return EVP_EC_gen(curve); }
static inline EVP_PKEY *shim_EVP_RSA_gen(unsigned int bits) { return EVP_RSA_gen(bits); }
static inline EVP_PKEY *shim_EVP_PKEY_gen(const char *name) { return EVP_PKEY_Q_keygen(NULL, NULL, name); }
static const int shim_EVP_PKEY_KEY_PARAMETERS = EVP_PKEY_KEY_PARAMETERS;
static const int shim_EVP_PKEY_PUBLIC_KEY = EVP_PKEY_PUBLIC_KEY;
static const int shim_EVP_PKEY_KEYPAIR = EVP_PKEY_KEYPAIR;

#endif
