-- Times are epoch milliseconds, flags 0 or 1, JSON is text, enums keep the spelling of the wire.

create table sequence (
  name  text primary key,
  value integer not null
) without rowid;
insert into sequence values ('change', 0);

create table connector (
  id                        integer primary key autoincrement,
  name                      text not null,
  source                    text not null,
  input_type                text not null,
  access_type               text not null,
  connector_specific_config text not null,
  refresh_freq              integer,
  prune_freq                integer,
  indexing_start            integer,
  time_created              integer not null,
  time_updated              integer not null,
  unique (name, source)
);
insert into connector values (0, 'Ingestion API', 'ingestion_api', 'load_state', 'public', '{}', null, null, null, 0, 0);

create table credential (
  id              integer primary key autoincrement,
  name            text,
  source          text not null,
  credential_json text not null,
  admin_public    integer not null,
  curator_public  integer not null,
  user_id         text,
  user_email      text,
  time_created    integer not null,
  time_updated    integer not null
);
insert into credential values (0, null, 'not_applicable', '{}', 1, 0, null, null, 0, 0);

create table cc_pair (
  id            integer primary key autoincrement,
  connector_id  integer not null references connector (id),
  credential_id integer not null references credential (id),
  name          text not null,
  access_type   text not null,
  groups        text not null,
  status        text not null,
  hidden        integer not null,
  creator       text,
  time_created  integer not null,
  unique (connector_id, credential_id)
);
insert into cc_pair values (1, 0, 0, 'DefaultCCPair', 'public', '[]', 'ACTIVE', 1, null, 0);

-- One row a document: its newest version. `seq` is the place of that version in the stream of changes, so the rows
-- above an index's position, in order of `seq`, are what the index has yet to apply.
create table document (
  id                  text primary key,
  seq                 integer not null unique,
  version             integer not null,
  content_hash        text not null,
  semantic_identifier text not null,
  title               text,
  source              text not null,
  link                text,
  doc_updated_at      integer,
  metadata            text not null,
  primary_owners      text not null,
  secondary_owners    text not null,
  external_access     text,
  from_ingestion_api  integer not null,
  accepted_at         integer not null,
  deleted_at          integer,
  body_bytes          integer not null,
  sections            text not null
);
create index document_deleted on document (deleted_at) where deleted_at is not null;

create table document_cc_pair (
  document_id text not null,
  cc_pair_id  integer not null references cc_pair (id),
  seq         integer not null,
  primary key (document_id, cc_pair_id)
) without rowid;
create index document_cc_pair_pair on document_cc_pair (cc_pair_id);

-- What the follower did with a document, kept apart so that marking it does not rewrite the document.
create table receipt (
  document_id text primary key,
  seq         integer not null,
  indexed_at  integer,
  chunk_count integer,
  attempts    integer not null,
  error       text,
  retry_at    integer
) without rowid;
create index receipt_retry on receipt (retry_at) where retry_at is not null;

create table api_key (
  id               integer primary key autoincrement,
  kid              text not null unique,
  secret_hash      text not null,
  display          text not null,
  name             text,
  role             text not null,
  scopes           text,
  user_id          text not null,
  user_email       text,
  user_group_ids   text not null,
  created_at       integer not null,
  expires_at       integer,
  last_used_at     integer
);

create table tool (
  id               integer primary key autoincrement,
  name             text not null,
  display_name     text,
  description      text not null,
  definition       text,
  in_code_tool_id  text unique,
  custom_headers   text,
  passthrough_auth integer not null,
  mcp_server_id    integer,
  user_id          text,
  oauth_config_id  integer,
  enabled          integer not null,
  chat_selectable  integer not null,
  agent_creation_selectable integer not null,
  default_enabled  integer not null,
  time_created     integer not null,
  time_updated     integer not null
);
insert into tool values (1, 'internal_search', 'Internal Search', 'Searches what the company knows.', null, 'SearchTool',
  null, 0, null, null, null, 1, 1, 1, 1, 0, 0);

create table user_file (
  id         text primary key,
  name       text not null,
  file_type  text not null,
  size       integer not null,
  blob       text not null,
  user_id    text not null,
  created_at integer not null
) without rowid;
