// ExposureFormat: to be written
