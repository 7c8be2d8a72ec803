"""What schemathesis must be told to test the suite."""

import schemathesis
from hypothesis import strategies

# An upload is protobuf, for which OpenAPI has no schema: random bytes show that whatever comes is answered by contract.
schemathesis.openapi.media_type("application/x-protobuf", strategies.binary(max_size=2000))
