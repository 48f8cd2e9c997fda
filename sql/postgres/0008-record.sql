-- As sql/sqlite/0008-record.sql, which explains the table.
create table record_identity (
  id text collate "C" not null
);
insert into record_identity values (replace(gen_random_uuid()::text, '-', ''));
