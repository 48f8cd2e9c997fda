-- Limits of requests per minute, and of tokens (in thousands) in the last hours: one of the two is null. They apply to all
-- callers together (`global`), to each person (`user`), or to one group, person or key.
create table usage_limit (
  id                  integer primary key autoincrement,
  applies_to          text not null,
  group_id            integer references user_group (id) on delete cascade,
  person_id           text references person (id) on delete cascade,
  api_key_id          integer references api_key (id) on delete cascade,
  requests_per_minute integer,
  token_budget        integer,
  period_hours        integer,
  enabled             integer not null,
  time_created        integer not null
);

-- Tokens of language models in each hour (since 1970), as in `token_usage`.
create table token_hour (
  hour    integer not null,
  user_id text not null,
  tokens  integer not null,
  primary key (hour, user_id)
);
