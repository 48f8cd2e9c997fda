-- Whether a model makes captions of pictures, and of how many in a day (UTC): one row, or none, which means that it does not.
-- The captions are in `model_text` with the kind `caption`. There a file may also be `skipped`, for the reason in `error`, or
-- `removed`, when an administrator has deleted the caption.
create table caption_settings (
  id               integer primary key,
  is_on            integer not null,
  pictures_per_day integer not null,
  time_updated     integer not null
);

-- Captions look for the uploads that have the same bytes.
create index user_file_blob on user_file (blob);
