-- As sql/sqlite/0070-captions.sql, which explains the table.
create table caption_settings (
  id               bigint primary key,
  is_on            bigint not null,
  pictures_per_day bigint not null,
  time_updated     bigint not null
);

-- Captions look for the uploads that have the same bytes.
create index user_file_blob on user_file (blob);
