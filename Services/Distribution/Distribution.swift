// Distribution
