-- Names that the documents of a pair give each other: the digest of a name and the id of the document.
create table given_name (
  digest     text collate "C" not null,
  cc_pair_id bigint not null references cc_pair (id),
  primary key (digest, cc_pair_id)
);
create index given_name_pair on given_name (cc_pair_id);
