// Postgres: to be written
