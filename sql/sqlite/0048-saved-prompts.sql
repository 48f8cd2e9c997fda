-- Texts that a person inserts into questions by their name. A prompt belongs to one person, and nobody else sees it.
create table saved_prompt (
  id            integer primary key autoincrement,
  user_id       text not null,
  prompt        text not null,
  content       text not null,
  active        integer not null,
  time_created  integer not null
);
create index saved_prompt_user on saved_prompt (user_id, id);
