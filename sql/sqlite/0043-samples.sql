-- Measurements of each process: a row for each minute of the last day, and for each hour of the last month. `measurements` is
-- an object of counters that were added since the beginning of the period.
create table sample (
  resolution   text not null,
  at           integer not null,
  process      text not null,
  measurements text not null,
  primary key (resolution, at, process)
) without rowid;
