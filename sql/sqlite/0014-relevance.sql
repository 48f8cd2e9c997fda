-- What was looked for and what its first page showed, so that a change of the ranking can be tried on it. `query_key`
-- stands for the query without case and space.
create table recorded_query (
  id           integer primary key autoincrement,
  search_id    text not null unique,
  user_id      text not null,
  query        text not null,
  query_key    text not null,
  filters      text not null,
  document_ids text not null,
  total        integer not null,
  ranked_by    text not null,
  took_ms      integer not null,
  asked_at     integer not null
);
create index recorded_query_time on recorded_query (asked_at, id);
create index recorded_query_user on recorded_query (user_id, id);
create index recorded_query_key on recorded_query (query_key, id);

-- What somebody did with what a search showed: one row a document, which lives as long as the query.
create table search_feedback (
  id          integer primary key autoincrement,
  search_id   text not null,
  user_id     text not null,
  query_key   text not null,
  document_id text not null,
  clicked     integer not null,
  thumb       text,
  asked_at    integer not null
);
create index search_feedback_search on search_feedback (search_id);
create index search_feedback_user on search_feedback (user_id, id);
create index search_feedback_key on search_feedback (query_key);
create index search_feedback_time on search_feedback (asked_at, id);

-- How well a document fits a query, as somebody who looks after connectors has judged it.
create table judgement (
  id          integer primary key autoincrement,
  query       text not null,
  query_key   text not null,
  document_id text not null,
  grade       integer not null,
  user_id     text not null,
  judged_at   integer not null
);
create index judgement_key on judgement (query_key);
create index judgement_user on judgement (user_id);
