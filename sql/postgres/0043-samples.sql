-- As sql/sqlite/0043-samples.sql, which explains the table.
create table sample (
  resolution   text collate "C" not null,
  at           bigint not null,
  process      text collate "C" not null,
  measurements text collate "C" not null,
  primary key (resolution, at, process)
);
