// TestResultServer
