"""An S3 store for tests: moto's server, on a free port, which checks signatures and policies.

Prints one line of JSON when it is ready, and ends when its standard input does: with the tests, however they end.
"""

import json
import os
import sys
import urllib.request

# Before boto3 is there: nothing of this machine's own settings may be used.
os.environ.update(
    AWS_ACCESS_KEY_ID="nobody", AWS_SECRET_ACCESS_KEY="nobody", AWS_DEFAULT_REGION="eu-central-1",
    AWS_EC2_METADATA_DISABLED="true", AWS_CONFIG_FILE=os.devnull, AWS_SHARED_CREDENTIALS_FILE=os.devnull,
)

import boto3  # noqa: E402
from moto.server import ThreadedMotoServer  # noqa: E402

# Each test takes the next.
BUCKETS = ["published-%03d" % number for number in range(200)]
ROLE = "arn:aws:iam::123456789012:role/publisher"


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
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    base = "http://127.0.0.1:%d" % server.get_host_and_port()[1]
    iam, sts, s3 = (boto3.client(service, endpoint_url=base) for service in ("iam", "sts", "s3"))
    for bucket in BUCKETS:
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
