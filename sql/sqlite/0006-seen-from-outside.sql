-- Which request brought a change, and when: so that a document can be followed, and the age of what waits be told. Null
-- in rows that are older than these columns.
alter table document add column request_id text;
alter table document add column changed_at integer;
-- The request that closed a pair which is being deleted.
alter table cc_pair add column closed_by text;

-- What administrators did, in order of `id`. Rows are added, and the oldest go when their time is over; none is changed.
-- Each has the hash of the one before it, and its own, so that a change of any of them shows.
create table audit (
  id          integer primary key autoincrement,
  at          integer not null,
  actor_id    text not null,
  api_key_id  integer,
  person      text,
  action      text not null,
  object_type text not null,
  object_id   text,
  outcome     text not null,
  error_code  text,
  fields      text not null,
  request_id  text,
  previous    text not null,
  hash        text not null
);
create index audit_at on audit (at);

-- Who is meant by the pseudonyms of `audit`. Without its row here, a pseudonym is nobody's.
create table audit_person (
  pseudonym text primary key,
  email     text not null unique
) without rowid;
