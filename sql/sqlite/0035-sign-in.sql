-- How a session began, as its owner and administrators see it.
alter table session add column method text;
alter table session add column user_agent text;
alter table session add column address text;

-- One-time links: the first administrator, invitations and new passwords. The record holds only a hash of the token.
create table account_link (
  id           integer primary key autoincrement,
  token_hash   text not null unique,
  purpose      text not null,
  email        text,
  email_key    text,
  role         text not null,
  user_groups  text not null,
  person_id    text references person (id),
  created_by   text not null,
  time_created integer not null,
  expires_at   integer not null
);
create index account_link_email on account_link (email_key);
create index account_link_person on account_link (person_id);
