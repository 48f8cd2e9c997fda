-- A personal access token names the key it was made with, not its row: a regenerated key has another `kid`, and its
-- tokens end with the old one.
create table pat (
  id           integer primary key autoincrement,
  kid          text not null unique,
  secret_hash  text not null,
  display      text not null,
  name         text not null,
  scopes       text,
  owner_kid    text not null,
  created_at   integer not null,
  expires_at   integer,
  last_used_at integer
);
create index pat_owner on pat (owner_kid);

-- What an administrator has set; what is not here has its default.
create table setting (
  name  text primary key,
  value text not null
) without rowid;

create table persona (
  id                         integer primary key autoincrement,
  name                       text not null,
  description                text not null,
  system_prompt              text not null,
  task_prompt                text not null,
  datetime_aware             integer not null,
  replace_base_system_prompt integer not null,
  starter_messages           text not null,
  search_start_date          integer,
  icon_name                  text,
  uploaded_image_id          text,
  display_priority           integer,
  is_public                  integer not null,
  is_listed                  integer not null,
  is_featured                integer not null,
  builtin_persona            integer not null,
  user_id                    text,
  time_created               integer not null,
  time_updated               integer not null
);
insert into persona values (0, 'Assistant', 'Answers from what the company knows, and says on what the answer rests.', '',
  '', 1, 0, '[]', null, null, null, 0, 1, 1, 1, 1, null, 0, 0);

create table persona_tool (
  persona_id integer not null references persona (id),
  tool_id    integer not null references tool (id),
  primary key (persona_id, tool_id)
) without rowid;
create index persona_tool_tool on persona_tool (tool_id);
insert into persona_tool values (0, 1);
