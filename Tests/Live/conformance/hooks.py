"""What schemathesis must be told to test the suite."""

import schemathesis
from hypothesis import strategies

# Uploads, donations and registrations for push are protobuf, for which OpenAPI has no schema: random bytes show that whatever
# comes is answered by contract.
for name in ("application/x-protobuf", "application/protobuf"):
    schemathesis.openapi.media_type(name, strategies.binary(max_size=2000))
