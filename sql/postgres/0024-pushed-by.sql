-- As sql/sqlite/0024-pushed-by.sql, which explains the column.
alter table document add column pushed_by text collate "C";
