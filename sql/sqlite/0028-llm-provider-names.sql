-- Several providers may have one name: clients tell them apart by their ids. SQLite drops no constraint of a column, so both
-- tables are made again, and go on counting their ids where they were.
alter table llm_provider rename to llm_provider_former;
alter table llm_model rename to llm_model_former;
create table llm_provider (
  id                     integer primary key autoincrement,
  name                   text not null,
  provider               text not null,
  api_base               text,
  api_version            text,
  deployment_name        text,
  secrets                text not null,
  is_public              integer not null,
  is_auto_mode           integer not null,
  groups                 text not null,
  personas               text not null,
  fallback_order         integer,
  first_token_timeout_ms integer,
  idle_timeout_ms        integer,
  time_created           integer not null,
  time_updated           integer not null
);
insert into llm_provider select id, name, provider, api_base, api_version, deployment_name, secrets, is_public,
  is_auto_mode, groups, personas, fallback_order, first_token_timeout_ms, idle_timeout_ms, time_created, time_updated
  from llm_provider_former;

create table llm_model (
  id                   integer primary key autoincrement,
  provider_id          integer not null references llm_provider (id),
  name                 text not null,
  display_name         text,
  is_visible           integer not null,
  max_input_tokens     integer,
  supports_image_input integer not null,
  supports_tools       integer not null,
  unique (provider_id, name)
);
insert into llm_model select id, provider_id, name, display_name, is_visible, max_input_tokens, supports_image_input,
  supports_tools from llm_model_former;

delete from sqlite_sequence where name in ('llm_provider', 'llm_model');
insert into sqlite_sequence (name, seq)
  select replace(name, '_former', ''), seq from sqlite_sequence
  where name in ('llm_provider_former', 'llm_model_former');

drop table llm_model_former;
drop table llm_provider_former;
create index llm_provider_name on llm_provider (name);
