-- Small things that change: settings, secrets, gate suites, monitors. The body is JSON.

CREATE TABLE documents (org_id VARCHAR, kind VARCHAR, id VARCHAR, version DOUBLE, updated_at DOUBLE, body VARCHAR);
