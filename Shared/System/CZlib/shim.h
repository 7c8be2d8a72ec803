// Makes the input pointer of `z_stream` a pointer to const, so that Swift need not cast the const away.
#define ZLIB_CONST
#include <zlib.h>
