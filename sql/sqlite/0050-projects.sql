-- Projects: chats, files and instructions that belong together. A project belongs to one person, and nobody else sees it.
create table project (
  id            integer primary key autoincrement,
  owner         text not null,
  name          text not null,
  description   text,
  instructions  text not null,
  time_created  integer not null
);
create index project_owner on project (owner, id);

create table project_file (
  project_id  integer not null references project (id) on delete cascade,
  file_id     text not null,
  primary key (project_id, file_id)
) without rowid;
create index project_file_file on project_file (file_id);

-- Chats outside of projects have none.
alter table chat_session add column project_id integer;
create index chat_session_project on chat_session (project_id);

-- Who may read a chat besides its owner: people by their address in lower case, and groups.
create table chat_reader (
  chat_session_id  text not null references chat_session (id) on delete cascade,
  email_key        text not null,
  primary key (chat_session_id, email_key)
) without rowid;
create index chat_reader_email on chat_reader (email_key);

create table chat_reader_group (
  chat_session_id  text not null references chat_session (id) on delete cascade,
  group_id         integer not null references user_group (id) on delete cascade,
  primary key (chat_session_id, group_id)
) without rowid;
create index chat_reader_group_group on chat_reader_group (group_id);
