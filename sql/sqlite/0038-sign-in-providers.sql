-- Providers that say who a person is. `type` is the protocol, `settings` its JSON without secrets, `secrets` sealed JSON.
-- `verdict` is the result of the last test, kept for an hour.
create table sign_in_provider (
  id           integer primary key autoincrement,
  type         text not null,
  slug         text not null unique,
  name         text not null,
  is_enabled   integer not null,
  settings     text not null,
  secrets      text,
  verdict      text,
  verdict_at   integer,
  time_created integer not null,
  time_updated integer not null
);

-- Which person an account of a provider is. A person has at most one account at each provider, so that an address that
-- its provider gives to another account leads to nobody.
create table person_identity (
  provider_id  integer not null references sign_in_provider (id) on delete cascade,
  subject      text not null,
  person_id    text not null references person (id) on delete cascade,
  time_created integer not null,
  last_used_at integer not null,
  primary key (provider_id, subject)
);
create unique index person_identity_person on person_identity (person_id, provider_id);

-- Sign-ins that have left for a provider. Each is used once, by the browser that started it.
create table sign_in_state (
  id           integer primary key autoincrement,
  state_hash   text not null unique,
  browser_hash text not null,
  provider_id  integer not null references sign_in_provider (id) on delete cascade,
  purpose      text not null,
  next_path    text not null,
  details      text not null,
  address      text not null,
  expires_at   integer not null
);
create index sign_in_state_address on sign_in_state (address);

-- The session of the provider behind a browser session, for logout. `id` is that of the browser session.
create table provider_session (
  id          integer primary key references session (id) on delete cascade,
  provider_id integer not null references sign_in_provider (id) on delete cascade,
  subject     text not null,
  sid         text,
  id_token    text
);
create index provider_session_subject on provider_session (provider_id, subject);

-- Hashes of the ids of tokens and assertions that may be used once.
create table used_assertion (
  provider_id integer not null references sign_in_provider (id) on delete cascade,
  id_hash     text not null,
  expires_at  integer not null,
  primary key (provider_id, id_hash)
);
