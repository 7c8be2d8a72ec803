// SubmissionServer
