-- As sql/sqlite/0010-search.sql, which explains the tables.
create table recent_query (
  user_id  text collate "C" not null,
  query    text collate "C" not null,
  asked_at bigint not null,
  primary key (user_id, query)
);
create index recent_query_time on recent_query (asked_at);

create table ranking_setting (
  name  text collate "C" primary key,
  value text collate "C" not null
);
