import FoundationEssentials
import PublishedTree
import TestSupport
import Testing

@testable import ObjectStore

struct S3ElementTests {
    /// The example of AWS's documentation, with an object outside the tree and one that was uploaded in parts.
    private static let page = """
        <?xml version="1.0" encoding="UTF-8"?>
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
          <Name>bucket</Name><Prefix>version</Prefix><KeyCount>3</KeyCount><MaxKeys>3</MaxKeys>
          <IsTruncated>true</IsTruncated>
          <NextContinuationToken>1/a&amp;b==</NextContinuationToken>
          <Contents>
            <Key>version</Key><LastModified>2026-11-21T12:00:00.000Z</LastModified>
            <ETag>&quot;FBA9DEDE5F27731C9771645A39863328&quot;</ETag><Size>6</Size><StorageClass>STANDARD</StorageClass>
          </Contents>
          <Contents><Key>version/v1/&#x41;&#66;</Key><ETag>"5d41402abc4b2a76b9719d911017c592-2"</ETag><Size>9</Size></Contents>
          <Contents><Key>version/.hidden &lt;1&gt;</Key><Size>1</Size><Owner/></Contents>
        </ListBucketResult>
        """

    @Test("a page of a listing is read")
    func listing() throws {
        let page = try #require(S3Element(parsing: Self.page.utf8).flatMap(S3Page.init))
        #expect(page.next == "1/a&b==")
        #expect(
            page.objects == [
                TreeKey("version"): StoredObject(size: 6, md5: "fba9dede5f27731c9771645a39863328"),
                TreeKey("version/v1/AB"): StoredObject(size: 9, md5: nil),
            ])
    }

    @Test(
        "an incomplete listing is refused",
        arguments: [
            "<Other><IsTruncated>false</IsTruncated></Other>", "<ListBucketResult/>",
            "<ListBucketResult><IsTruncated>yes</IsTruncated></ListBucketResult>",
            "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
            "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Size>1</Size></Contents></ListBucketResult>",
            "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>version</Key></Contents></ListBucketResult>",
            "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>version</Key><Size>-1</Size></Contents>"
                + "</ListBucketResult>",
        ])
    func incomplete(text: String) throws {
        let element = try #require(S3Element(parsing: text.utf8))
        #expect(S3Page(element) == nil)
    }

    @Test(
        "malformed XML, and XML that S3 doesn't use, is refused",
        arguments: [
            "", "text", "<a>", "<a></b>", "<a><b></a></b>", "<a/><b/>", "<a></a>x", "<a b></a>", "<a b=c></a>",
            "<a b='></a>",
            "<a>&lt</a>", "<a>&unknown;</a>", "<a>&#xD800;</a>", "<a>&#x110000;</a>", "<a>&#-1;</a>", "<a>&;</a>",
            "< a/>",
            "<a><!-- --></a>", "<a><![CDATA[x]]></a>", "<a><?x?></a>", "<!DOCTYPE a><a/>", "<?xml version='1.0'",
            #"<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>"#,
            String(repeating: "<a>", count: 100_000), "<a><a><a><a><a><a><a><a><a/></a></a></a></a></a></a></a></a>",
        ])
    func refused(text: String) {
        #expect(S3Element(parsing: text.utf8) == nil)
    }

    @Test("text that isn't UTF-8 is refused")
    func encoding() {
        #expect(S3Element(parsing: Array("<a>".utf8) + [0xFF] + Array("</a>".utf8)) == nil)
    }

    @Test("truncated pages are refused, and mutated pages don't crash the parser")
    func mutations() {
        let bytes = Data(Self.page.utf8)
        for length in 0..<bytes.count {
            #expect(S3Element(parsing: bytes.prefix(length)) == nil)
        }
        var randomness = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            _ = S3Element(parsing: bytes.mutated(using: &randomness)).flatMap(S3Page.init)
        }
    }

    @Test(
        "an entity tag is an MD5 only in the form of one",
        arguments: [
            ("\"d41d8cd98f00b204e9800998ecf8427e\"", "d41d8cd98f00b204e9800998ecf8427e" as String?),
            ("\"D41D8CD98F00B204E9800998ECF8427E\"", "d41d8cd98f00b204e9800998ecf8427e"),
            ("\"d41d8cd98f00b204e9800998ecf8427e-1\"", nil), ("d41d8cd98f00b204e9800998ecf8427e", nil),
            ("W/\"d41d8cd98f00b204e9800998ecf8427e\"", nil), ("\"d41d8cd98f00b204e9800998ecf8427g\"", nil),
            ("\"\"", nil),
        ])
    func entityTags(tag: String, md5: String?) {
        #expect(StoredObject.md5(entityTag: tag) == md5)
    }
}
