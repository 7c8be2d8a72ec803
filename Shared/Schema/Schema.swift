// Schema: to be written
