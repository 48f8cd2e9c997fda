-- As sql/sqlite/0033-tools-held-off.sql.
alter table tool add column held_off bigint not null default 0;
