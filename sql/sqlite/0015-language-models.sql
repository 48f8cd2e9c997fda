-- Who writes answers: servers of language models. `secrets` is a sealed object: the key, headers and what clients of the
-- wire call `custom_config`.
create table llm_provider (
  id                     integer primary key autoincrement,
  name                   text not null unique,
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

-- Which model serves what. Provider 0 is the one of the settings, which has no row.
create table llm_default (
  purpose     text primary key,
  provider_id integer not null,
  model_name  text not null
);

-- What each key had its models read and write, by day (UTC).
create table token_usage (
  day           text not null,
  user_id       text not null,
  model         text not null,
  input_tokens  integer not null,
  output_tokens integer not null,
  calls         integer not null,
  primary key (day, user_id, model)
);
create index token_usage_user on token_usage (user_id, day);

alter table api_key add column daily_token_limit integer;
