// A node that carries out the runs of a ledger, and says so when the first scores are down. Its parent kills it then.
// What was built, found at run time: the checks must not need a build.
const built = (/** @type {string} */ path) => new URL(`../../dist/${path}`, import.meta.url).href;
const { openStore } = await import(built('store/open-store.js'));
const { Scheduler } = await import(built('service/scheduler.js'));
const { RunBell } = await import(built('service/run-bell.js'));

const [url = ''] = process.argv.slice(2);
const store = await openStore(url);
const append = store.sessionScores.append;
store.sessionScores.append = async (/** @type {[string, object[]]} */ ...given) => {
  const appended = await append(...given);
  process.stdout.write(`${given[1].length}\n`);
  return appended;
};
const silent = { info() {}, error() {} };
const scheduler = new Scheduler(
  { store, clock: Date.now, newId: () => 'writer', runBell: new RunBell() },
  silent,
);
scheduler.start();
setInterval(() => {}, 1_000);
