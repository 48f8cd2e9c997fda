-- Servers of the Model Context Protocol whose tools a chat may use.
create table mcp_server (
  id                integer primary key autoincrement,
  name              text not null,
  description       text not null,
  server_url        text not null,
  user_id           text not null,
  transport         text not null,
  auth_type         text not null,
  auth_performer    text not null,
  -- JSON: headers with {names} in them, and which of those each person gives.
  auth_template     text,
  -- JSON: scopes, and addresses of the authorization server where it does not tell them.
  oauth             text,
  -- Sealed: what its administrator gave, the client that was registered, the administrator's tokens.
  admin_credentials text,
  status            text not null,
  is_public         integer not null,
  users             text not null,
  groups            text not null,
  -- JSON: which tools are asked about, by name.
  tool_policies     text not null,
  last_refreshed_at integer,
  time_created      integer not null,
  time_updated      integer not null
);

-- What a person gave for a server, or was given there.
create table mcp_user_credential (
  id            integer primary key autoincrement,
  mcp_server_id integer not null references mcp_server (id),
  user_id       text not null,
  credentials   text not null,
  time_updated  integer not null,
  unique (mcp_server_id, user_id)
);

-- Somebody has gone to an authorization server and is expected back. Of the state there is only a hash.
create table mcp_oauth_flow (
  id            integer primary key autoincrement,
  state_hash    text not null unique,
  mcp_server_id integer not null references mcp_server (id),
  user_id       text not null,
  flow          text not null,
  expires_at    integer not null
);

-- What belongs to a row of `tool` that a server offers, as it was when the server was last asked.
create table mcp_tool (
  tool_id      integer primary key references tool (id),
  input_schema text not null,
  is_read_only integer not null,
  is_offered   integer not null
);
create index tool_mcp_server on tool (mcp_server_id);
