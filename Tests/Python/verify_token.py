"""Verifies a token (RFC 7519) against a key set (RFC 7517) with jwcrypto, which shares no code with this project.

Arguments: the file of the key set, the file of the token. Prints header and claims as JSON, or exits with 1 if it doesn't verify.
"""

import json
import sys

from jwcrypto.jwk import JWKSet
from jwcrypto.jwt import JWT

keys = JWKSet.from_json(open(sys.argv[1], encoding="utf-8").read())
text = open(sys.argv[2], encoding="utf-8").read()
token = JWT(algs=["ES256", "RS256"], check_claims={"exp": None}, expected_type="JWS")
token.leeway = 10**12
try:
    token.deserialize(text, keys)
except Exception as error:
    print(type(error).__name__, file=sys.stderr)
    sys.exit(1)
print(json.dumps({"header": json.loads(token.header), "claims": json.loads(token.claims)}))
