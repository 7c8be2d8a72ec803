"""S3 stores for tests: moto's server, on a free port, which checks signatures and policies.

A bucket's name says which store it behaves like (KINDS); of plain ones there are most. Prints one line of JSON when it is ready, and
ends when its standard input does: with the tests, however they end.
"""

import hashlib
import json
import os
import re
import sys
import urllib.request

# Before boto3 is there: nothing of this machine's own settings may be used.
os.environ.update(
    AWS_ACCESS_KEY_ID="nobody", AWS_SECRET_ACCESS_KEY="nobody", AWS_DEFAULT_REGION="eu-central-1",
    AWS_EC2_METADATA_DISABLED="true", AWS_CONFIG_FILE=os.devnull, AWS_SHARED_CREDENTIALS_FILE=os.devnull,
)

import boto3  # noqa: E402
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app  # noqa: E402
from moto.s3.models import s3_backends  # noqa: E402
from moto.server import ThreadedMotoServer  # noqa: E402
from werkzeug.serving import make_server  # noqa: E402
from werkzeug.wrappers import Response  # noqa: E402

# How many buckets there are of each kind. Each test takes the next.
KINDS = {
    # Holds objects in a flat dictionary.
    "plain": 200,
    # Stores and serves an object below another one, and doesn't list it, as MinIO does: its listing doesn't look below an object
    # (scanDir in https://github.com/minio/minio/blob/master/cmd/metacache-walk.go).
    "hiding": 12,
    # Keeps an object in a file of its name, as versitygw does: https://github.com/versity/versitygw/blob/main/backend/posix/posix.go
    "files": 12,
    # Answers that it stored an object, with its MD5, and stores nothing.
    "losing": 12,
    # Stores other bytes than those that it confirms.
    "altering": 12,
}
BUCKETS = {kind: ["published-%s-%03d" % (kind, number) for number in range(count)] for kind, count in KINDS.items()}
ACCOUNT = "123456789012"
ROLE = "arn:aws:iam::%s:role/publisher" % ACCOUNT


def stored(bucket):
    """The keys of a bucket."""
    return set(s3_backends[ACCOUNT]["aws"].buckets[bucket].keys)


def ancestors(key):
    names = key.split("/")
    return {"/".join(names[:count]) for count in range(1, len(names))}


class Stores:
    """moto's application, with what each kind of store does otherwise."""

    def __init__(self, application):
        self.application = application

    def __call__(self, environ, start_response):
        bucket, _, key = environ["PATH_INFO"].lstrip("/").partition("/")
        kind = bucket.split("-")[1] if bucket.startswith("published-") and bucket.count("-") == 2 else "plain"
        answer = getattr(self, kind, self.plain)(environ, bucket, key)
        return answer(environ, start_response)

    def plain(self, environ, bucket, key):
        return Response.from_app(self.application, environ)

    def hiding(self, environ, bucket, key):
        answer = Response.from_app(self.application, environ)
        if environ["REQUEST_METHOD"] == "GET" and not key and answer.status_code == 200:
            keys = stored(bucket)

            def listed(entry):
                name = re.search(rb"<Key>(.*?)</Key>", entry[0], re.DOTALL)
                return entry[0] if ancestors(name[1].decode()).isdisjoint(keys) else b""

            answer.set_data(re.sub(rb"<Contents>.*?</Contents>", listed, answer.get_data(), flags=re.DOTALL))
        return answer

    def files(self, environ, bucket, key):
        if environ["REQUEST_METHOD"] == "PUT" and key:
            keys = stored(bucket)
            code = None
            if any(other.startswith(key + "/") for other in keys):
                code = "ExistingObjectIsDirectory"
            elif not ancestors(key).isdisjoint(keys):
                code = "ObjectParentIsFile"
            if code:
                self.body(environ)
                return Response("<Error><Code>%s</Code></Error>" % code, status=409, content_type="application/xml")
        return Response.from_app(self.application, environ)

    def losing(self, environ, bucket, key):
        if environ["REQUEST_METHOD"] == "PUT" and key:
            digest = hashlib.md5(self.body(environ), usedforsecurity=False).hexdigest()
            return Response("", headers={"ETag": '"%s"' % digest})
        return Response.from_app(self.application, environ)

    def altering(self, environ, bucket, key):
        answer = Response.from_app(self.application, environ)
        if environ["REQUEST_METHOD"] == "PUT" and key and answer.status_code == 200:
            backend = s3_backends[ACCOUNT]["aws"]
            content = backend.get_object(bucket, key).value
            if content:
                backend.put_object(bucket, key, content[:-1] + bytes([content[-1] ^ 1]))
        return answer

    @staticmethod
    def body(environ):
        return environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))


class Server(ThreadedMotoServer):
    def _server_entry(self):
        application = Stores(DomainDispatcherApplication(create_backend_app))
        self._server = make_server(self._ip_address, self._port, application, True)
        self._server_ready_event.set()
        self._server.serve_forever()


def policy(*statements):
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def allow(action, resource):
    return {"Effect": "Allow", "Action": action, "Resource": resource}


# What the README tells operators to grant, and less. moto asks for the right to remove several objects at once on the
# bucket, where S3 asks for it on the objects.
PUBLISHER = policy(
    allow(["s3:ListBucket", "s3:DeleteObject"], "arn:aws:s3:::published-*"),
    allow(["s3:GetObject", "s3:PutObject", "s3:DeleteObject"], "arn:aws:s3:::published-*/*"),
)
READER = policy(
    allow("s3:ListBucket", "arn:aws:s3:::published-*"),
    allow("s3:GetObject", "arn:aws:s3:::published-*/*"),
)


def key_of_user(iam, name, document):
    iam.create_user(UserName=name)
    iam.put_user_policy(UserName=name, PolicyName=name, PolicyDocument=document)
    key = iam.create_access_key(UserName=name)["AccessKey"]
    return {"id": key["AccessKeyId"], "secret": key["SecretAccessKey"]}


def lent_key(iam, sts):
    trust = policy({"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"})
    iam.create_role(RoleName="publisher", AssumeRolePolicyDocument=trust)
    iam.put_role_policy(RoleName="publisher", PolicyName="publisher", PolicyDocument=PUBLISHER)
    key = sts.assume_role(RoleArn=ROLE, RoleSessionName="test")["Credentials"]
    return {"id": key["AccessKeyId"], "secret": key["SecretAccessKey"], "token": key["SessionToken"]}


def main():
    server = Server(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    base = "http://127.0.0.1:%d" % server.get_host_and_port()[1]
    iam, sts, s3 = (boto3.client(service, endpoint_url=base) for service in ("iam", "sts", "s3"))
    for bucket in sum(BUCKETS.values(), []):
        s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    keys = {
        "publisher": key_of_user(iam, "publisher", PUBLISHER),
        "reader": key_of_user(iam, "reader", READER),
        "lent": lent_key(iam, sts),
    }
    # From now on every request must be signed, and be allowed by a policy.
    request = urllib.request.Request(
        f"{base}/moto-api/reset-auth", data=b"0", headers={"Content-Type": "text/plain"}, method="POST")
    urllib.request.urlopen(request).close()
    print(json.dumps({"endpoint": base, "buckets": BUCKETS, "keys": keys}), flush=True)
    sys.stdin.read()


main()
