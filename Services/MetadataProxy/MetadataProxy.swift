// MetadataProxy
