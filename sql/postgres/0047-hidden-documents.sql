-- As sql/sqlite/0047-hidden-documents.sql.
alter table document add column hidden_at bigint;
