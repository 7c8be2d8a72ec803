// Types and numbers of PKCS #11 2.40 only: the functions are those of the module that the configuration names.
#include <p11-kit/pkcs11.h>
