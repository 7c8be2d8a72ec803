-- Runs once, when the cluster is initialized: creates the role that owns all tables, and the database. `vigil migrate` does the
-- rest. `vigil-dev up` does the same (Services/Development/Suite/Storage/SuiteDatabase.swift), and also allows a shifted clock.

-- A failing statement must not write a password to the log.
SET log_min_error_statement = panic;

-- The image sets a password for the superuser. None is needed, because pg_hba.conf admits the superuser only through the socket.
ALTER ROLE postgres PASSWORD NULL;

\set password `cut -d : -f 5 /run/secrets/pgpass-owner`
CREATE ROLE vigil_owner LOGIN CREATEROLE PASSWORD :'password';
\unset password
CREATE DATABASE vigil OWNER vigil_owner TEMPLATE template0;
REVOKE CONNECT ON DATABASE postgres FROM PUBLIC;
REVOKE CONNECT, TEMPORARY ON DATABASE vigil FROM PUBLIC;
\connect vigil
\i /etc/vigil/catalog.sql
