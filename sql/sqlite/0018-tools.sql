-- Whether somebody is asked before the tool writes, and whether others than its owner may use it.
alter table tool add column requires_confirmation integer not null default 1;
alter table tool add column is_public integer not null default 0;
update tool set is_public = 1 where in_code_tool_id is not null;

insert into tool (name, display_name, description, in_code_tool_id, passthrough_auth, enabled, chat_selectable,
    agent_creation_selectable, default_enabled, is_public, time_created, time_updated)
  values
    ('open_url', 'Open URL', 'Reads pages of the web. Asks before it opens one that nobody has named in the question.',
      'OpenURLTool', 0, 1, 0, 1, 1, 1, 0, 0),
    ('read_file', 'File Reader', 'Reads the files that the person has uploaded.', 'FileReaderTool', 0, 1, 1, 1, 1, 1, 0, 0),
    ('calculator', 'Calculator', 'Computes with exact numbers.', 'CalculatorTool', 0, 1, 1, 1, 1, 1, 0, 0),
    ('date', 'Date', 'Knows what day it is, and counts days.', 'DateTool', 0, 1, 1, 1, 1, 1, 0, 0);
insert into persona_tool select 0, id from tool
  where in_code_tool_id in ('OpenURLTool', 'FileReaderTool', 'CalculatorTool', 'DateTool');

-- Where a tool sends people for a token of their own. The secret is sealed.
create table oauth_config (
  id                integer primary key autoincrement,
  name              text not null,
  authorization_url text not null,
  token_url         text not null,
  client_id         text,
  client_secret     text,
  scopes            text,
  additional_params text not null,
  user_id           text not null,
  time_created      integer not null,
  time_updated      integer not null
);

-- What a person has been given there: sealed JSON. Whoever renews it holds it until the time in `held_until`.
create table oauth_token (
  id              integer primary key autoincrement,
  oauth_config_id integer not null references oauth_config (id),
  user_id         text not null,
  token           text not null,
  expires_at      integer,
  held_until      integer not null,
  time_updated    integer not null,
  unique (oauth_config_id, user_id)
);
create index oauth_token_user on oauth_token (user_id);

-- A way there that somebody has begun. Of the state there is only a hash; the verifier is sealed.
create table oauth_state (
  id              integer primary key autoincrement,
  state_hash      text not null unique,
  oauth_config_id integer not null references oauth_config (id),
  user_id         text not null,
  verifier        text not null,
  redirect_uri    text not null,
  return_path     text not null,
  expires_at      integer not null
);

-- Calls of chats that failed, to be tried again. The arguments are sealed.
create table tool_failure (
  id          integer primary key autoincrement,
  tool_id     integer not null,
  operation   text not null,
  arguments   text not null,
  reason      text not null,
  status_code integer,
  user_id     text not null,
  failed_at   integer not null
);
create index tool_failure_tool on tool_failure (tool_id, id);
create index tool_failure_user on tool_failure (user_id);
create index tool_failure_time on tool_failure (failed_at);
