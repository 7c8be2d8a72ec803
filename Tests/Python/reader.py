"""Reads a published tree as a stranger does: with other people's libraries, and a schema written from the contract.

usage: reader.py TREE PUBLIC-KEY.pem…

Each archive must open (also with unzip), each must be signed by every key (also by what openssl says), say what its place says,
and have its keys in order. Prints what it found as JSON; ends with 1 at the first flaw.
"""

import datetime
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

Field = descriptor_pb2.FieldDescriptorProto
ONE, MANY = Field.LABEL_OPTIONAL, Field.LABEL_REPEATED

# The contract: message, field, number, type, whether there are several.
SCHEMA = {
    "SignatureInfo": [
        ("app_bundle_id", 1, Field.TYPE_STRING, ONE),
        ("android_package", 2, Field.TYPE_STRING, ONE),
        ("verification_key_version", 3, Field.TYPE_STRING, ONE),
        ("verification_key_id", 4, Field.TYPE_STRING, ONE),
        ("signature_algorithm", 5, Field.TYPE_STRING, ONE),
    ],
    "TemporaryExposureKey": [
        ("key_data", 1, Field.TYPE_BYTES, ONE),
        ("transmission_risk_level", 2, Field.TYPE_INT32, ONE),
        ("rolling_start_interval_number", 3, Field.TYPE_INT32, ONE),
        ("rolling_period", 4, Field.TYPE_INT32, ONE),
        ("report_type", 5, Field.TYPE_INT32, ONE),
        ("days_since_onset_of_symptoms", 6, Field.TYPE_SINT32, ONE),
    ],
    "TemporaryExposureKeyExport": [
        ("start_timestamp", 1, Field.TYPE_FIXED64, ONE),
        ("end_timestamp", 2, Field.TYPE_FIXED64, ONE),
        ("region", 3, Field.TYPE_STRING, ONE),
        ("batch_num", 4, Field.TYPE_INT32, ONE),
        ("batch_size", 5, Field.TYPE_INT32, ONE),
        ("signature_infos", 6, "SignatureInfo", MANY),
        ("keys", 7, "TemporaryExposureKey", MANY),
    ],
    "TEKSignature": [
        ("signature_info", 1, "SignatureInfo", ONE),
        ("batch_num", 2, Field.TYPE_INT32, ONE),
        ("batch_size", 3, Field.TYPE_INT32, ONE),
        ("signature", 4, Field.TYPE_BYTES, ONE),
    ],
    "TEKSignatureList": [("signatures", 1, "TEKSignature", MANY)],
    "CheckInProtectedReport": [
        ("locationIdHash", 1, Field.TYPE_BYTES, ONE),
        ("iv", 2, Field.TYPE_BYTES, ONE),
        ("encryptedCheckInRecord", 3, Field.TYPE_BYTES, ONE),
        ("mac", 4, Field.TYPE_BYTES, ONE),
    ],
    "SignedVenueReports": [("bundle", 1, Field.TYPE_BYTES, ONE), ("signatures", 2, Field.TYPE_BYTES, ONE)],
    "VenueReportBundle": [
        ("version", 1, Field.TYPE_UINT32, ONE),
        ("start", 2, Field.TYPE_UINT64, ONE),
        ("seconds", 3, Field.TYPE_UINT32, ONE),
        ("reports", 4, Field.TYPE_BYTES, ONE),
    ],
    "TraceWarningPackage": [
        ("intervalNumber", 1, Field.TYPE_UINT32, ONE),
        ("region", 2, Field.TYPE_STRING, ONE),
        ("checkInProtectedReports", 4, "CheckInProtectedReport", MANY),
    ],
}

# What the last two fields of a key say, by its risk level: report type and days since onset.
BY_LEVEL = {1: (4, 1), 2: (4, 2), 3: (3, 1), 4: (3, 2), 5: (2, 1), 6: (2, 2), 7: (1, 1), 8: (1, 2)}
MARKER = b"EK Export v1    "
ALGORITHM = "1.2.840.10045.4.3.2"


def messages():
    file = descriptor_pb2.FileDescriptorProto(name="contract.proto", package="contract", syntax="proto2")
    for name, fields in SCHEMA.items():
        message = file.message_type.add(name=name)
        for field, number, kind, label in fields:
            if isinstance(kind, str):
                message.field.add(name=field, number=number, type=Field.TYPE_MESSAGE, label=label, type_name=f".contract.{kind}")
            else:
                message.field.add(name=field, number=number, type=kind, label=label)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"contract.{name}")) for name in SCHEMA}


MESSAGES = messages()


class Flaw(Exception):
    pass


def require(condition, sentence):
    if not condition:
        raise Flaw(sentence)


def parse(name, content):
    message = MESSAGES[name]()
    message.ParseFromString(content)
    # Nothing but what the contract knows.
    require(message.SerializeToString() == content, f"{name} has other fields, or not in their order")
    return message


class Tree:
    def __init__(self, root, keys):
        self.root = root
        self.pems = [pathlib.Path(key) for key in keys]
        self.keys = [serialization.load_pem_public_key(pem.read_bytes()) for pem in self.pems]
        self.found = {"days": 0, "hours": 0, "keys": 0, "reportHours": 0, "reports": 0, "archives": 0, "venueBundles": 0, "venueReports": 0}
        self.checked_by_openssl = 0

    def index(self, path):
        return json.loads((self.root / path / "index").read_bytes())

    def archive(self, path):
        """The export of an archive whose every signature is right."""
        file = self.root / path
        if file.is_dir():
            file = file / "index"
        self.found["archives"] += 1
        require(subprocess.run(["unzip", "-tq", file], capture_output=True).returncode == 0, "unzip finds a fault")
        with zipfile.ZipFile(file) as archive:
            require(archive.namelist() == ["export.bin", "export.sig"], "it has other entries")
            export, signatures = archive.read("export.bin"), archive.read("export.sig")
        signatures = parse("TEKSignatureList", signatures).signatures
        require(len(signatures) == len(self.keys), "it has another number of signatures")
        for key, pem, signature in zip(self.keys, self.pems, signatures):
            require(signature.signature_info.signature_algorithm == ALGORITHM, "another algorithm")
            try:
                key.verify(signature.signature, export, ec.ECDSA(hashes.SHA256()))
            except InvalidSignature:
                raise Flaw("a signature is wrong") from None
            if self.checked_by_openssl < 20:
                self.check_by_openssl(pem, export, signature.signature)
        return export, signatures

    def check_by_openssl(self, pem, export, signature):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "export").write_bytes(export)
            (folder / "signature").write_bytes(signature)
            command = ["openssl", "dgst", "-sha256", "-verify", pem, "-signature", folder / "signature", folder / "export"]
            require(subprocess.run(command, capture_output=True).returncode == 0, "openssl finds the signature wrong")
        self.checked_by_openssl += 1

    def keys_of(self, path, region, start, seconds):
        """The keys of a package, of all its batches."""
        keys, number, size = [], 1, 1
        while number <= size:
            export, signatures = self.archive(path if number == 1 else f"{path}.{number}")
            require(export.startswith(MARKER), "its header is wrong")
            message = parse("TemporaryExposureKeyExport", export[len(MARKER) :])
            size = message.batch_size
            require((message.start_timestamp, message.end_timestamp) == (start, start + seconds), "its window is wrong")
            require(message.region == region, "its region is wrong")
            require(message.batch_num == number, "its batch is wrong")
            require(all((s.batch_num, s.batch_size) == (number, size) for s in signatures), "a signature's batch is wrong")
            require([s.signature_info for s in signatures] == list(message.signature_infos), "it names other signers")
            batch = list(message.keys)
            require(not batch or len(batch) >= 140, f"it has {len(batch)} keys")
            keys += batch
            number += 1
        order = [(k.rolling_start_interval_number, k.transmission_risk_level, k.rolling_period, k.key_data) for k in keys]
        require(order == sorted(order), "its keys aren't in order")
        require(len({k.key_data for k in keys}) == len(keys), "it has a key twice")
        for key in keys:
            require(len(key.key_data) == 16 and 1 <= key.rolling_period <= 144, "a key is malformed")
            require(key.transmission_risk_level >= 3, "a key's level is too low")
            said = (key.report_type, key.days_since_onset_of_symptoms)
            require(said == BY_LEVEL[key.transmission_risk_level], "a key says more than its level")
            end = (key.rolling_start_interval_number + key.rolling_period) * 600
            require(end + 7200 <= start + seconds, "a key is there before its embargo ended")
        self.found["keys"] += len(keys)
        return {k.key_data for k in keys}

    def region(self, region):
        dates = f"version/v1/diagnosis-keys/country/{region}/date"
        published = set()
        for name in self.index(dates):
            start = int(datetime.datetime.fromisoformat(f"{name}T00:00:00+00:00").timestamp())
            keys = self.at(f"{dates}/{name}", self.keys_of, region, start, 86400)
            require(not keys & published, f"{name} repeats a key")
            published |= keys
            self.found["days"] += 1
        hourly = set()
        for index in sorted((self.root / dates).glob("*/hour/index")):
            name = index.parent.parent.name
            start = int(datetime.datetime.fromisoformat(f"{name}T00:00:00+00:00").timestamp())
            for hour in json.loads(index.read_bytes()):
                keys = self.at(f"{dates}/{name}/hour/{hour}", self.keys_of, region, start + hour * 3600, 3600)
                require(not keys & hourly, f"{name}, {hour} repeats a key")
                hourly |= keys
                self.found["hours"] += 1

    def venues(self, region):
        hours = f"version/v2/twp/country/{region}/hour"
        bounds = self.index(hours)
        if bounds["oldest"] is None:
            return
        for hour in range(bounds["oldest"], bounds["latest"] + 1):
            self.found["reportHours"] += 1
            if (self.root / hours / str(hour)).stat().st_size == 0:
                continue
            self.at(f"{hours}/{hour}", self.reports, region, hour)

    def reports(self, path, region, hour):
        message = parse("TraceWarningPackage", self.archive(path)[0])
        require((message.intervalNumber, message.region) == (hour, region), "it says something else than its place")
        reports = [(r.locationIdHash, r.iv, r.encryptedCheckInRecord, r.mac) for r in message.checkInProtectedReports]
        require(len(reports) >= 140, f"it has {len(reports)} reports")
        require(reports == sorted(reports), "its reports aren't in order")
        require(all([len(part) for part in report] == [32, 16, 16, 32] for report in reports), "a report is malformed")
        self.found["reports"] += len(reports)

    def venue_bundles(self):
        place = "version/v1/venue-reports"
        bounds = self.index(place)
        require(bounds["hours"] == 2, f"{place}: another length")
        if bounds["oldest"] is None:
            return
        known = set()
        for hour in range(bounds["oldest"], bounds["latest"] + 1, 2):
            reports = self.at(f"{place}/{hour}", self.venue_bundle, hour)
            require(not known & reports, f"{place}/{hour}: it repeats a report")
            known |= reports
            self.found["venueBundles"] += 1
        self.found["venueReports"] += len(known)

    def venue_bundle(self, path, hour):
        """The reports of a signed bundle."""
        file = (self.root / path).read_bytes()
        message = parse("SignedVenueReports", file)
        signatures = parse("TEKSignatureList", message.signatures).signatures
        require(len(signatures) == len(self.keys), "it has another number of signatures")
        for key, pem, signature in zip(self.keys, self.pems, signatures):
            try:
                key.verify(signature.signature, message.bundle, ec.ECDSA(hashes.SHA256()))
            except InvalidSignature:
                raise Flaw("a signature is wrong") from None
            self.check_by_openssl(pem, message.bundle, signature.signature)
        bundle = parse("VenueReportBundle", message.bundle)
        require((bundle.version, bundle.start, bundle.seconds) == (1, hour * 3600, 7200), "it says something else than its place")
        require(len(bundle.reports) % 57 == 0, "a report is malformed")
        reports = [bundle.reports[i : i + 57] for i in range(0, len(bundle.reports), 57)]
        require(reports == sorted(set(reports)), "its reports aren't in order")
        require(len(self.keys) > 1 or len(file) <= 57 * len(reports) + 200, "it is too large")
        return set(reports)

    def at(self, path, read, *arguments):
        try:
            return read(path, *arguments)
        except (Flaw, OSError, zipfile.BadZipFile, ValueError) as flaw:
            raise Flaw(f"{path}: {flaw}") from flaw

    def everything(self):
        require(self.index("version") == ["v1"], "version: other names")
        for region in self.index("version/v1/diagnosis-keys/country"):
            self.region(region)
        for region in self.index("version/v2/twp/country"):
            self.venues(region)
        self.venue_bundles()
        for file in sorted(self.root.glob("version/v*/app_config_*")):
            self.at(str(file.relative_to(self.root)), self.archive)


def main():
    tree = Tree(pathlib.Path(sys.argv[1]), sys.argv[2:])
    try:
        tree.everything()
    except Flaw as flaw:
        print(flaw, file=sys.stderr)
        return 1
    print(json.dumps(tree.found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
