/** The built-in gates, as the SDK hands them out. */
export { content } from '../gates/content.ts';
export { filesystem } from '../gates/filesystem.ts';
export { injection } from '../gates/injection.ts';
export { latency } from '../gates/latency.ts';
export { pattern } from '../gates/pattern.ts';
export { pii } from '../gates/pii.ts';
export { schema } from '../gates/schema.ts';
export { secrets } from '../gates/secrets.ts';
