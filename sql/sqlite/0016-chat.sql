-- A chat belongs to whom the key acts for: `owner` is an e-mail address in lower case, or the `user_id` of a key that
-- acts for nobody. Messages are a tree: a question that was edited, or answered again, has others beside it, and
-- `latest_child_id` says which of them the branch goes on with that is shown.
create table chat_session (
  id               text primary key,
  owner            text not null,
  persona_id       integer not null references persona (id),
  name             text,
  folded_name      text not null,
  shared_status    text not null,
  incognito        integer not null,
  overrides        text not null,
  latest_child_id  integer,
  time_created     integer not null,
  time_updated     integer not null
) without rowid;
create index chat_session_owner on chat_session (owner, time_updated, id);
create index chat_session_incognito on chat_session (incognito, time_updated);
create index chat_session_persona on chat_session (persona_id);

-- An answer has its row before its first word: `running` until `alive_until`, which who writes it keeps ahead of the
-- clock. One that is running and no longer alive was broken off by the end of the process.
create table chat_message (
  id               integer primary key autoincrement,
  chat_session_id  text not null references chat_session (id),
  parent_id        integer,
  latest_child_id  integer,
  message_type     text not null,
  status           text not null,
  message          text not null,
  folded           text not null,
  error            text,
  packets          text not null,
  files            text not null,
  feedback         text,
  model            text,
  input_tokens     integer not null,
  output_tokens    integer not null,
  runner           text,
  alive_until      integer,
  time_sent        integer not null,
  time_ended       integer
);
create index chat_message_session on chat_message (chat_session_id, id);
create index chat_message_running on chat_message (status, alive_until);

-- What a persona is made of beyond its prompts. One that was deleted stays for the chats that were led with it.
alter table persona add column users text not null default '[]';
alter table persona add column groups text not null default '[]';
alter table persona add column default_model_configuration_id integer;
alter table persona add column llm_model_provider_override text;
alter table persona add column llm_model_version_override text;
alter table persona add column deleted_at integer;

create table persona_document_set (
  persona_id      integer not null references persona (id),
  document_set_id integer not null references document_set (id),
  primary key (persona_id, document_set_id)
) without rowid;
create index persona_document_set_set on persona_document_set (document_set_id);
