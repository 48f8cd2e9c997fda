-- Tools and MCP servers that receive a token of whoever asks: which administrator allowed that, and when.
alter table tool add column passthrough_granted_by text;
alter table tool add column passthrough_granted_at integer;
alter table mcp_server add column passthrough_granted_by text;
alter table mcp_server add column passthrough_granted_at integer;

-- Who has agreed that one of them receives a token of theirs. The owner is an e-mail address, or the id of a key.
create table passthrough_consent (
  id             integer primary key autoincrement,
  owner          text not null,
  recipient_kind text not null,
  recipient_id   integer not null,
  given_at       integer not null,
  unique (owner, recipient_kind, recipient_id)
);
create index passthrough_consent_recipient on passthrough_consent (recipient_kind, recipient_id);

-- Tokens that tools received. They last minutes, and end with the key or token in `owner_credential`.
create table call_token (
  id               integer primary key autoincrement,
  kid              text not null unique,
  secret_hash      text not null,
  owner            text not null,
  owner_credential text not null,
  recipient_kind   text not null,
  recipient_id     integer not null,
  expires_at       integer not null
);
create index call_token_recipient on call_token (recipient_kind, recipient_id);
create index call_token_expiry on call_token (expires_at);
