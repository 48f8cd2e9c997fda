-- The origins that a credential may be sent to, as a JSON list. Null: the credential is older than this column, and gets
-- the origins of the connectors that use it when the program starts.
alter table credential add column allowed_origins text;
