-- A browser that signed in with a key. It names the key, not the key's row: a regenerated key has another `kid`, and its
-- sessions end with the old one. Of the cookie there is only a hash.
create table session (
  id           integer primary key autoincrement,
  token_hash   text not null unique,
  owner_kid    text not null,
  created_at   integer not null,
  last_used_at integer not null
);
create index session_owner on session (owner_kid);
