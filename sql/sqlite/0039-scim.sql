-- The token of the directory. Only the newest one is valid; older ones remain for their dates.
create table scim_token (
  id           integer primary key autoincrement,
  kid          text not null unique,
  secret_hash  text not null,
  display      text not null,
  name         text not null,
  is_active    integer not null,
  created_at   integer not null,
  last_used_at integer
);

-- People whom the directory manages by SCIM. `made_person`: the person did not exist before.
create table scim_user (
  person_id     text primary key references person (id),
  user_name     text not null,
  user_name_key text not null unique,
  external_id   text,
  formatted_name text,
  display_name  text,
  given_name    text,
  family_name   text,
  made_person   integer not null,
  time_created  integer not null,
  time_updated  integer not null
);
create index scim_user_external on scim_user (external_id);

create table scim_email (
  person_id text not null references person (id),
  position  integer not null,
  value     text not null,
  value_key text not null,
  type      text,
  is_primary integer not null,
  primary key (person_id, position)
);
create index scim_email_value on scim_email (value_key);

create table scim_group (
  group_id    integer primary key references user_group (id),
  external_id text
);

-- Removals by SCIM: `done`, `uncounted` (the directory had just made the person), `held` until an administrator decides,
-- `approved` or `discarded` by one. While `is_in_effect`, the directory may undo it.
create table scim_removal (
  id         integer primary key autoincrement,
  person_id  text not null references person (id),
  kind       text not null,
  state      text not null,
  asked_at   integer not null,
  decided_at integer,
  is_in_effect integer not null
);
create index scim_removal_person on scim_removal (person_id);
create index scim_removal_asked on scim_removal (asked_at);
