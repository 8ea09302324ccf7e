-- Decision D-258: confirmation mails count by the site that they go to, and by the key that asked.
ALTER TABLE mailings ADD COLUMN site BLOB;
ALTER TABLE mailings ADD COLUMN key_id INTEGER;
CREATE INDEX mailings_to_site ON mailings (site, began_at) WHERE site IS NOT NULL;
