"""Makes and verifies tokens (RFC 7519) of an identity provider with PyJWT, which shares no code with this project.

    officer_tokens.py make CLAIMS            makes a key for each algorithm and prints as JSON the key set and, by algorithm, a token
                                             with the claims of the file
    officer_tokens.py verify KEYS TOKEN      verifies a token with the key set (RFC 7517) of a file, and prints its claims as JSON;
                                             ends with 1 if it doesn't verify
"""

import json
import pathlib
import sys

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

ALGORITHMS = {name: jwt.get_algorithm_by_name(name) for name in ("ES256", "RS256", "PS256")}


def make(claims):
    keys, tokens = [], {}
    for name, algorithm in ALGORITHMS.items():
        key = ec.generate_private_key(ec.SECP256R1()) if name == "ES256" else rsa.generate_private_key(65537, 2048)
        public = algorithm.to_jwk(key.public_key(), as_dict=True)
        keys.append(public | {"kid": name.lower(), "alg": name, "use": "sig"})
        tokens[name] = jwt.encode(claims, key, algorithm=name, headers={"kid": name.lower()})
    return {"keys": json.dumps({"keys": keys}), "tokens": tokens}


def verify(keys, token):
    key = jwt.PyJWKSet.from_json(keys)[jwt.get_unverified_header(token)["kid"]]
    options = {"verify_aud": False, "verify_exp": False, "verify_iat": False, "verify_nbf": False}
    return jwt.decode(token, key, algorithms=[key.algorithm_name], options=options)


command, *files = sys.argv[1:]
texts = [pathlib.Path(file).read_text(encoding="utf-8") for file in files]
try:
    print(json.dumps(make(json.loads(*texts)) if command == "make" else verify(*texts)))
except jwt.InvalidTokenError as error:
    sys.exit(type(error).__name__)
