-- Once, when the cluster is made: the role that owns all tables, and the database. `vigil migrate` does the rest. The same as
-- `vigil-dev up` does (Services/Development/Suite/Storage/SuiteDatabase.swift), without the setting that allows a shifted clock.

-- What fails must not bring a password into the log.
SET log_min_error_statement = panic;

-- The image wants a password for the superuser. Nobody needs one: pg_hba.conf lets it in by the socket only.
ALTER ROLE postgres PASSWORD NULL;

\set password `cut -d : -f 5 /run/secrets/pgpass-owner`
CREATE ROLE vigil_owner LOGIN CREATEROLE PASSWORD :'password';
\unset password
CREATE DATABASE vigil OWNER vigil_owner TEMPLATE template0;
REVOKE CONNECT ON DATABASE postgres FROM PUBLIC;
REVOKE CONNECT, TEMPORARY ON DATABASE vigil FROM PUBLIC;
\connect vigil
\i /etc/vigil/catalog.sql
