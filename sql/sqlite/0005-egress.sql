-- Hosts beyond the public internet that an administrator opened; without a port, 80 and 443 of it.
create table egress_approval (
  id           integer primary key autoincrement,
  host         text not null,
  port         integer,
  reason       text not null,
  user_id      text not null,
  user_email   text,
  time_created integer not null
);
create index egress_approval_host on egress_approval (host);

-- What was lately refused to whom, so that an administrator sees what to open. `asker` is a kind, and an id if it has one.
create table egress_refusal (
  host       text not null,
  port       integer not null,
  rule       text not null,
  profile    text not null,
  asker      text not null,
  count      integer not null,
  first_time integer not null,
  last_time  integer not null,
  primary key (host, port, rule, profile, asker)
) without rowid;
create index egress_refusal_time on egress_refusal (last_time);
