-- Which version of text's terms each document's were made with. One of an earlier
-- version is indexed anew from its text when a store is opened; a program that was
-- running before writes none, and that is then as well.
ALTER TABLE text_document ADD COLUMN terms_version INTEGER NOT NULL DEFAULT 0;
CREATE INDEX text_document_terms_version ON text_document (terms_version);
