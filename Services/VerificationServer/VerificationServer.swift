// VerificationServer
