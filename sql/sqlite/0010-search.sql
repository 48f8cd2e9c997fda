-- What people looked for lately, each only their own: offered again while they type.
create table recent_query (
  user_id  text not null,
  query    text not null,
  asked_at integer not null,
  primary key (user_id, query)
) without rowid;
create index recent_query_time on recent_query (asked_at);

-- What an administrator has set about the ranking, each as JSON. Whatever is not here has its default.
create table ranking_setting (
  name  text primary key,
  value text not null
) without rowid;
