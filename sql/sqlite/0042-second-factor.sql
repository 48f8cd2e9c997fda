-- A second factor after the password (TOTP, RFC 6238), and codes that replace it once each.
create table person_totp (
  id             integer primary key autoincrement,
  person_id      text not null unique references person (id),
  secret         text not null,
  confirmed_at   integer,
  last_used_step integer not null default 0,
  time_created   integer not null
);

-- The record holds only hashes of the codes.
create table recovery_code (
  id        integer primary key autoincrement,
  person_id text not null references person (id),
  code_hash text not null,
  unique (person_id, code_hash)
);

-- Passkeys (WebAuthn). The public key is in base64url.
create table passkey (
  id            integer primary key autoincrement,
  person_id     text not null references person (id),
  credential_id text not null unique,
  public_key    text not null,
  counter       integer not null,
  transports    text not null,
  name          text not null,
  is_backed_up  integer not null,
  time_created  integer not null,
  last_used_at  integer
);
create index passkey_person on passkey (person_id);

-- A challenge that a browser has to sign; each is used once. Without a person, it is for a sign-in.
create table passkey_challenge (
  id             integer primary key autoincrement,
  challenge_hash text not null unique,
  person_id      text references person (id),
  expires_at     integer not null
);
create index passkey_challenge_expiry on passkey_challenge (expires_at);
