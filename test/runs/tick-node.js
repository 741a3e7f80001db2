// One of several nodes over one ledger: looks once for what is due, carries out what it gets, and ends.
// What was built, found at run time: the checks must not need a build.
const built = (/** @type {string} */ path) => new URL(`../../dist/${path}`, import.meta.url).href;
const { openStore } = await import(built('store/open-store.js'));
const { Scheduler } = await import(built('service/scheduler.js'));
const { RunBell } = await import(built('service/run-bell.js'));

const [url = '', spoolDir = '', holder = '', now = ''] = process.argv.slice(2);
const store = await openStore(url, { spoolDir });
const silent = { info() {}, error() {} };
const clock = () => Number(now);
const scheduler = new Scheduler({ store, clock, newId: () => holder, runBell: new RunBell() }, silent);
process.stdout.write('ready\n');
// Both nodes begin when both are there.
process.stdin.once('data', async () => {
  await scheduler.look();
  await scheduler.idle();
  await scheduler.stop();
  await store.close();
  process.exit(0);
});
