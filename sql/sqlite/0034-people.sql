-- People who use the service. `email_key` is the address in lower case: it decides whether two addresses are the same person.
create table person (
  id                  text primary key,
  email               text not null,
  email_key           text not null unique,
  name                text,
  role                text not null,
  is_active           integer not null,
  is_verified         integer not null,
  password_hash       text,
  password_changed_at integer,
  time_created        integer not null,
  time_updated        integer not null,
  last_seen_at        integer
);

-- Documents, connectors and personas name groups by `name`. Only its origin changes the members of a group: `manual` for
-- administrators, else the provider that reports it.
create table user_group (
  id           integer primary key autoincrement,
  name         text not null unique,
  origin       text not null,
  time_created integer not null,
  time_updated integer not null
);

create table user_group_member (
  group_id   integer not null references user_group (id),
  person_id  text not null references person (id),
  is_curator integer not null,
  primary key (group_id, person_id)
);
create index user_group_member_person on user_group_member (person_id);

create table user_group_key (
  group_id   integer not null references user_group (id),
  api_key_id integer not null references api_key (id),
  primary key (group_id, api_key_id)
);
create index user_group_key_key on user_group_key (api_key_id);

-- The person that a key acts for. Before this migration `user_email` and `user_group_ids` said it: the first start moves
-- them here and empties them. With `has_person_groups` the key has all groups of the person, else only those of its own
-- to which the person belongs.
alter table api_key add column person_id text references person (id);
alter table api_key add column has_person_groups integer not null default 0;
create index api_key_person on api_key (person_id);

-- Finds what is filed under the id of a key when the key gets a person.
create index api_key_user on api_key (user_id);
