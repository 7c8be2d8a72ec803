"""The client that all live checks share: TLS connections, HTTP/1.1 and HTTP/2, messages of the contract, and the suite
that `vigil-dev up` runs. suite.sh puts its folder on PYTHONPATH."""
