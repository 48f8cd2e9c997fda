-- What a person chose for the pages, as JSON: language, time zone, theme and density. Null: nothing was chosen.
alter table person add column preferences text;
