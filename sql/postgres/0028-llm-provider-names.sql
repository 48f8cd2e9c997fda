-- Several providers may have one name: clients tell them apart by their ids.
alter table llm_provider drop constraint llm_provider_name_key;
create index llm_provider_name on llm_provider (name);
