CREATE TABLE memoryos_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT memoryos_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE memoryos_scopes (
	scope VARCHAR(32) NOT NULL, 
	user_id TEXT NOT NULL, 
	assistant_id TEXT NOT NULL, 
	version BIGINT NOT NULL, 
	epoch BIGINT NOT NULL, 
	last_seq BIGINT NOT NULL, 
	profile_version BIGINT NOT NULL, 
	due BIGINT, 
	lease_holder TEXT, 
	lease_until BIGINT, 
	PRIMARY KEY (scope)
);
CREATE INDEX memoryos_scopes_due ON memoryos_scopes (due) WHERE due IS NOT NULL;
CREATE TABLE memoryos_segments (
	scope VARCHAR(32) NOT NULL, 
	id TEXT NOT NULL, 
	seq BIGINT NOT NULL, 
	summary TEXT NOT NULL, 
	keywords TEXT NOT NULL, 
	centroid BLOB NOT NULL, 
	n_visit BIGINT NOT NULL, 
	l_interaction BIGINT NOT NULL, 
	last_access BIGINT, 
	archived BOOLEAN NOT NULL, 
	rev BIGINT NOT NULL, 
	PRIMARY KEY (scope, id), 
	FOREIGN KEY(scope) REFERENCES memoryos_scopes (scope)
);
CREATE TABLE memoryos_chains (
	scope VARCHAR(32) NOT NULL, 
	id TEXT NOT NULL, 
	summary TEXT NOT NULL, 
	PRIMARY KEY (scope, id), 
	FOREIGN KEY(scope) REFERENCES memoryos_scopes (scope)
);
CREATE TABLE memoryos_pages (
	scope VARCHAR(32) NOT NULL, 
	id TEXT NOT NULL, 
	session_id TEXT NOT NULL, 
	seq BIGINT NOT NULL, 
	messages TEXT NOT NULL, 
	timestamp BIGINT NOT NULL, 
	tier VARCHAR(16) NOT NULL, 
	tokens BIGINT NOT NULL, 
	open BOOLEAN NOT NULL, 
	segment_id TEXT, 
	chain_id TEXT, 
	analysed BOOLEAN NOT NULL, 
	reread BOOLEAN NOT NULL, 
	embedded BOOLEAN NOT NULL, 
	rev BIGINT NOT NULL, 
	ended BOOLEAN DEFAULT 0 NOT NULL, 
	trust VARCHAR(16) DEFAULT 'assistant' NOT NULL, 
	labels TEXT DEFAULT '[]' NOT NULL, written_at BIGINT, 
	PRIMARY KEY (scope, id), 
	FOREIGN KEY(scope, segment_id) REFERENCES memoryos_segments (scope, id), 
	FOREIGN KEY(scope, chain_id) REFERENCES memoryos_chains (scope, id), 
	FOREIGN KEY(scope) REFERENCES memoryos_scopes (scope)
);
CREATE TABLE memoryos_taken (
	scope VARCHAR(32) NOT NULL, 
	digest VARCHAR(32) NOT NULL, 
	page_id TEXT NOT NULL, 
	message TEXT NOT NULL, 
	PRIMARY KEY (scope, digest), 
	FOREIGN KEY(scope, page_id) REFERENCES memoryos_pages (scope, id), 
	FOREIGN KEY(scope) REFERENCES memoryos_scopes (scope)
);
CREATE INDEX memoryos_taken_page ON memoryos_taken (scope, page_id);
CREATE TABLE memoryos_facts (
	scope VARCHAR(32) NOT NULL, 
	id TEXT NOT NULL, 
	seq BIGINT NOT NULL, 
	about VARCHAR(16) NOT NULL, 
	text TEXT NOT NULL, 
	learned_at BIGINT NOT NULL, 
	valid_from BIGINT NOT NULL, 
	valid_until BIGINT, 
	event_time BIGINT, 
	trust VARCHAR(16) NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	superseded_by TEXT, 
	visits BIGINT NOT NULL, 
	rev BIGINT NOT NULL, 
	labels TEXT DEFAULT '[]' NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	origin VARCHAR(16) NOT NULL, 
	digest VARCHAR(32), 
	PRIMARY KEY (scope, id), 
	CONSTRAINT memoryos_facts_in_time CHECK (valid_until >= valid_from), 
	FOREIGN KEY(scope) REFERENCES memoryos_scopes (scope)
);
CREATE INDEX memoryos_facts_rev ON memoryos_facts (scope, rev);
CREATE INDEX memoryos_facts_digest ON memoryos_facts (scope, digest);
CREATE INDEX memoryos_facts_superseded ON memoryos_facts (scope, superseded_by) WHERE superseded_by IS NOT NULL;
CREATE TABLE memoryos_persona (
	scope VARCHAR(32) NOT NULL, 
	id VARCHAR(32) NOT NULL, 
	seq BIGINT NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	reason TEXT, 
	since BIGINT NOT NULL, 
	valid_until BIGINT, 
	PRIMARY KEY (scope, id), 
	CONSTRAINT memoryos_persona_in_time CHECK (valid_until >= since), 
	FOREIGN KEY(scope) REFERENCES memoryos_scopes (scope)
);
CREATE INDEX memoryos_persona_name ON memoryos_persona (scope, kind, name);
CREATE TABLE memoryos_citations (
	scope VARCHAR(32) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	item_id TEXT NOT NULL, 
	page_id TEXT NOT NULL, 
	place INTEGER NOT NULL, 
	PRIMARY KEY (scope, kind, item_id, page_id), 
	FOREIGN KEY(scope, page_id) REFERENCES memoryos_pages (scope, id), 
	FOREIGN KEY(scope) REFERENCES memoryos_scopes (scope)
);
CREATE INDEX memoryos_citations_page ON memoryos_citations (scope, page_id);
CREATE TABLE memoryos_notes (
	scope VARCHAR(32) NOT NULL, 
	namespace TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	value TEXT NOT NULL, 
	text TEXT NOT NULL, 
	vector BLOB, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	rev BIGINT NOT NULL, 
	fact_id TEXT, 
	PRIMARY KEY (scope, namespace, "key"), 
	FOREIGN KEY(scope) REFERENCES memoryos_scopes (scope)
);
CREATE INDEX memoryos_notes_rev ON memoryos_notes (scope, rev);
CREATE INDEX memoryos_notes_fact ON memoryos_notes (scope, fact_id) WHERE fact_id IS NOT NULL;
CREATE TABLE memoryos_grants (
	scope VARCHAR(32) NOT NULL, 
	actor TEXT NOT NULL, 
	role VARCHAR(16) NOT NULL, 
	granted_at BIGINT NOT NULL, until BIGINT, 
	PRIMARY KEY (scope, actor), 
	FOREIGN KEY(scope) REFERENCES memoryos_scopes (scope)
);
CREATE TABLE memoryos_audit (
	scope VARCHAR(32) NOT NULL, 
	seq BIGINT NOT NULL, 
	at BIGINT NOT NULL, 
	actor TEXT, 
	action VARCHAR(32) NOT NULL, 
	detail TEXT NOT NULL, 
	previous VARCHAR(64) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	PRIMARY KEY (scope, seq)
);
CREATE TABLE memoryos_keys (
	id INTEGER NOT NULL, 
	salt VARCHAR(32) NOT NULL, 
	wrapped TEXT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE memoryos_vectors (
	scope VARCHAR(32) NOT NULL, 
	owner_id TEXT NOT NULL, 
	part VARCHAR(16) NOT NULL, 
	vector BLOB NOT NULL, 
	PRIMARY KEY (scope, owner_id, part), 
	FOREIGN KEY(scope) REFERENCES memoryos_scopes (scope)
);
CREATE TABLE memoryos_embedder (
	id SMALLINT NOT NULL, 
	name TEXT NOT NULL, 
	dimension INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE memoryos_units (
	scope VARCHAR(32) NOT NULL, 
	unit BIGINT NOT NULL, 
	owner_id TEXT NOT NULL, 
	part VARCHAR(16) NOT NULL, 
	length INTEGER NOT NULL, 
	session_id TEXT, 
	place BIGINT, 
	speaker TEXT, 
	PRIMARY KEY (scope, unit), 
	FOREIGN KEY(scope) REFERENCES memoryos_scopes (scope)
);
CREATE INDEX memoryos_units_place ON memoryos_units (scope, session_id, place);
CREATE INDEX memoryos_units_owner ON memoryos_units (scope, owner_id);
CREATE TABLE memoryos_postings (
	scope VARCHAR(32) NOT NULL, 
	term BIGINT NOT NULL, 
	unit BIGINT NOT NULL, 
	count INTEGER NOT NULL, 
	PRIMARY KEY (scope, term, unit)
);
CREATE INDEX memoryos_postings_unit ON memoryos_postings (scope, unit);
CREATE INDEX memoryos_pages_segment ON memoryos_pages (scope, segment_id, analysed) WHERE segment_id IS NOT NULL;
CREATE INDEX memoryos_pages_chain ON memoryos_pages (scope, chain_id) WHERE chain_id IS NOT NULL;
CREATE INDEX memoryos_pages_short_term ON memoryos_pages (scope, tier, session_id, seq) WHERE tier = 'short_term';
CREATE INDEX memoryos_pages_unembedded ON memoryos_pages (scope, seq) WHERE embedded = 0;
CREATE INDEX memoryos_pages_reread ON memoryos_pages (scope, seq) WHERE reread = 1;
CREATE UNIQUE INDEX memoryos_pages_seq ON memoryos_pages (scope, seq);
CREATE INDEX memoryos_pages_rev ON memoryos_pages (scope, rev);
CREATE INDEX memoryos_pages_session ON memoryos_pages (scope, session_id, seq);
CREATE TABLE memoryos_chunks (
	scope VARCHAR(32) NOT NULL, 
	number INTEGER NOT NULL, 
	made_by VARCHAR(64) NOT NULL, 
	epoch BIGINT NOT NULL, 
	"after" BIGINT NOT NULL, 
	last BIGINT NOT NULL, 
	checksum VARCHAR(64) NOT NULL, 
	size BIGINT NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (scope, number), 
	FOREIGN KEY(scope) REFERENCES memoryos_scopes (scope)
);
CREATE TABLE memoryos_tombstones (
	scope VARCHAR(32) NOT NULL, 
	digest VARCHAR(32) NOT NULL, 
	at BIGINT NOT NULL, 
	epoch BIGINT, 
	PRIMARY KEY (scope, digest)
);
CREATE TABLE memoryos_secret (
	id SMALLINT NOT NULL, 
	secret VARCHAR(64) NOT NULL, 
	PRIMARY KEY (id)
);
