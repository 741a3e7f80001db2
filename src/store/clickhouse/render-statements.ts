/**
 * A migration as the statements to run: as they stand on a single server; in a cluster each table becomes a replicated one
 * on every shard, `name_local`, and a distributed one over them that carries the name itself. Views read and write on the
 * shard where a row is: all rows of an agent, and all of an identity, are on one.
 */
interface Target {
  database: string;
  cluster: string | null;
}

export function renderStatements(sql: string, target: Target): string[] {
  const statements = sql
    .split(/;\s*$/m)
    .filter((text) => /^\s*[^-\s]/m.test(text))
    .map((text) => text.trim());
  if (target.cluster === null) return statements.map(withoutComments);
  const { database, cluster } = target;
  return statements.flatMap((text) => renderForCluster(text, { database, cluster }));
}

function renderForCluster(text: string, { database, cluster }: { database: string; cluster: string }) {
  const statement = withoutComments(text);
  const [, kind = '', name = ''] =
    /^CREATE (TABLE|MATERIALIZED VIEW|VIEW) IF NOT EXISTS (\w+)/.exec(statement) ?? [];
  if (kind !== 'TABLE') {
    // A plain view serves the materialized ones, so it too stands beside the rows of its shard.
    const target = kind === 'VIEW' ? `${name}_local` : name;
    const local = statement.replaceAll(/\b(TO|FROM) (\w+)\b/g, '$1 $2_local');
    return [local.replace(name, `${target} ON CLUSTER ${cluster}`)];
  }
  const key = /^-- sharded by (.+)$/m.exec(text)?.[1] ?? 'rand()';
  const local = statement
    .replace(name, `${name}_local ON CLUSTER ${cluster}`)
    .replace(
      /ENGINE = (\w*MergeTree)(?:\(([^)]*)\))?/,
      (_, engine, given) =>
        `ENGINE = Replicated${engine}('/clickhouse/tables/{shard}/${database}/${name}_local', '{replica}'${given ? `, ${given}` : ''})`,
    )
    .replace('non_replicated_deduplication_window', 'replicated_deduplication_window');
  return [
    local,
    `CREATE TABLE IF NOT EXISTS ${name} ON CLUSTER ${cluster} AS ${name}_local
ENGINE = Distributed(${cluster}, ${database}, ${name}_local, ${key})`,
  ];
}

function withoutComments(statement: string): string {
  return statement.replaceAll(/^\s*--.*\n?/gm, '').trim();
}
